import type { Any } from '../../support/client.ts';
import { configMaps, keys, type LargeRequest, namespace, post, times } from './request.ts';

const objectOf = (metadata: Any) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', ...metadata } });
const dryRun = `${configMaps}?dryRun=All`;
const fieldsOf = (i: number) => ({
  manager: `m${i}`,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
});
const review = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const reviewOf = (spec: Any) => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods' }, ...spec },
});

/** Large bodies in every encoding, with large metadata, and reviews. */
export const bodies: readonly LargeRequest[] = [
  post('managedFields', 400, dryRun, (n) => objectOf({ managedFields: times(n, fieldsOf) })),
  post('managedFields: fields', 3_000, dryRun, (n) =>
    objectOf({
      managedFields: [{ ...fieldsOf(0), fieldsV1: { 'f:data': Object.fromEntries(times(n, (i) => [`f:k${i}`, {}])) } }],
    }),
  ),
  post('ownerReferences', 3_000, dryRun, (n) =>
    objectOf({ ownerReferences: times(n, (i) => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: `u${i}` })) }),
  ),
  post('finalizers', 5_000, dryRun, (n) => objectOf({ finalizers: times(n, (i) => `a.b/f${i}`) })),
  post('labels', 3_000, dryRun, (n) => objectOf({ labels: keys(n, String) })),
  post('annotations', 3_000, dryRun, (n) => objectOf({ annotations: keys(n, String) })),
  post('JSON: lists', 30_000, dryRun, (n) => `{"apiVersion":"v1","kind":"ConfigMap","x":[${'[],'.repeat(n)}[]]}`),
  post('JSON: depth', 4_000, dryRun, (n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`),
  post('JSON: a long number', 100_000, dryRun, (n) => `{"apiVersion":"v1","kind":"ConfigMap","x":${'1'.repeat(n)}}`),
  post('JSON: exponents', 20_000, dryRun, (n) => `{"apiVersion":"v1","kind":"ConfigMap","x":[${'1e999,'.repeat(n)}1]}`),
  post('JSON: escapes', 50_000, dryRun, (n) => `{"apiVersion":"v1","kind":"ConfigMap","x":"${'\\u0041'.repeat(n)}"}`),
  post('JSON: white space', 300_000, dryRun, (n) => `${' '.repeat(n)}{"apiVersion":"v1","kind":"ConfigMap"}`),
  post(
    'JSON: repeated keys',
    20_000,
    `${dryRun}&fieldValidation=Strict`,
    (n) => `{"apiVersion":"v1","kind":"ConfigMap",${'"a":1,'.repeat(n)}"b":1}`,
  ),
  post('JSON: unknown fields', 10_000, `${dryRun}&fieldValidation=Strict`, (n) => ({ ...objectOf({}), ...keys(n, () => 1) })),
  post(
    'JSON: integers beyond 53 bits',
    10_000,
    dryRun,
    (n) => `{"apiVersion":"v1","kind":"ConfigMap","x":[${'12345678901234567890,'.repeat(n)}1]}`,
  ),
  post('YAML: lists', 5_000, dryRun, (n) => `x: [${'[],'.repeat(n)}[]]`, 'application/yaml'),
  post(
    'YAML: maps',
    5_000,
    dryRun,
    (n) => `apiVersion: v1\nkind: ConfigMap\ndata:\n${times(n, (i) => `  k${i}: v`).join('\n')}`,
    'application/yaml',
  ),
  post('YAML: quotes', 50_000, dryRun, (n) => `x: "${'\\"'.repeat(n)}"`, 'application/yaml'),
  post('YAML: a folded text', 20_000, dryRun, (n) => `x: >\n${'  a\n\n'.repeat(n)}`, 'application/yaml'),
  post('YAML: comments', 20_000, dryRun, (n) => `${'# a\n'.repeat(n)}x: 1`, 'application/yaml'),
  post('YAML: aliases', 400, dryRun, (n) => `a: &a [1,2,3]\nx: [${'*a,'.repeat(n)}*a]`, 'application/yaml'),
  post('YAML: depth', 500, dryRun, (n) => `x: ${'['.repeat(n)}${']'.repeat(n)}`, 'application/yaml'),
  post('YAML: documents', 5_000, dryRun, (n) => '---\na: 1\n'.repeat(n), 'application/yaml'),
  post('access review: groups', 5_000, review, (n) => reviewOf({ groups: times(n, (i) => `g${i}`) })),
  post('access review: extra', 3_000, review, (n) => reviewOf({ extra: keys(n, () => ['v']) })),
  post('access review: a path', 100_000, review, (n) => ({
    ...reviewOf({}),
    spec: { user: 'u', nonResourceAttributes: { verb: 'get', path: '/a'.repeat(n) } },
  })),
  post('token request: audiences', 3_000, `${namespace}/serviceaccounts/default/token`, (n) => ({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: times(n, (i) => `a${i}`) },
  })),
  post('certificate request: blocks', 3_000, '/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All', (n) => ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'x' },
    spec: {
      signerName: 'a.b/c',
      usages: ['client auth'],
      request: Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\nAA==\n'.repeat(n)).toString('base64'),
    },
  })),
  {
    ...post('delete options', 3_000, `${configMaps}/target?dryRun=All`, (n) => ({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      dryRun: times(n, () => 'All'),
    })),
    method: 'DELETE',
  },
];
