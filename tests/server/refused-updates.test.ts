import { beforeAll, describe, expect, it } from 'vitest';
import { newNamespace, useServer } from '../support/server.ts';

const t = useServer();
let namespace: string;
const json = { 'content-type': 'application/json-patch+json' };
const merge = { 'content-type': 'application/merge-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };

beforeAll(async () => {
  namespace = (await newNamespace(t.client)).split('/')[4] as string;
});

describe('a patch that changes kind or apiVersion', () => {
  const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];
  const nameless = 'the name of the object (p based on URL) was undeterminable: name must be provided';
  const unreadable = "couldn't get version/kind; json parse error: json: cannot unmarshal";

  it.each<[object, Record<string, string>, number, string]>([
    [replace('/kind', 'ConfigMapList'), json, 422, 'unknown conversion'],
    [replace('/apiVersion', 'v2'), json, 422, 'no kind "ConfigMap" is registered for version "v2"'],
    [replace('/kind', 7), json, 422, `${unreadable} number into Go struct field .kind of type string`],
    [replace('/apiVersion', true), json, 422, `${unreadable} bool into Go struct field .apiVersion of type string`],
    [replace('', []), json, 422, `"[]": ${unreadable} array into Go value of type struct { APIVersion string`],
    [[{ op: 'remove', path: '/apiVersion' }], json, 400, nameless],
    [{ apiVersion: null }, merge, 400, nameless],
    [{ apiVersion: '' }, merge, 400, nameless],
    [{ kind: ['x'] }, merge, 422, `${unreadable} array into Go struct field .kind of type string`],
    [replace('/metadata/name', 'q'), json, 400, 'the name of the object (q) does not match the name on the URL (p)'],
    [[{ op: 'remove', path: '/metadata' }], json, 400, nameless],
    [{ metadata: { namespace: 'q' } }, merge, 400, 'the namespace of the provided object does not match the namespace sent'],
    [{ metadata: { uid: 'q' } }, merge, 422, 'metadata.uid: Invalid value: "q": field is immutable'],
  ])('%j is refused', async (patch, headers, status, message) => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await t.client.send('POST', path, { metadata: { name: 'p' } });
    const reply = await t.client.send('PATCH', `${path}/p`, patch, headers);
    expect([reply.status, reply.body.message]).toEqual([status, expect.stringContaining(message)]);
  });

  it.each<[object, Record<string, string>]>([
    [[{ op: 'remove', path: '/kind' }], json],
    [{ kind: '' }, merge],
    [{ kind: 'Secret', apiVersion: 'v2' }, strategic],
  ])('%j is accepted', async (patch, headers) => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await t.client.send('POST', path, { metadata: { name: 'q' } });
    const { status, body } = await t.client.send('PATCH', `${path}/q`, patch, headers);
    expect([status, body.kind, body.apiVersion]).toEqual([200, 'ConfigMap', 'v1']);
  });
});

describe('an update with an invalid finalizer', () => {
  const unqualified = 'name is neither a standard finalizer name nor is it fully qualified';
  const malformed = 'name part must consist of alphanumeric characters';
  const core = () => `/api/v1/namespaces/${namespace}`;
  const pod = { containers: [{ name: 'c', image: 'example.com/c' }] };
  const template = { metadata: { labels: { a: 'b' } }, spec: pod };
  const deployment = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template };

  // As kube-apiserver 1.36 answers: u for unqualified, m for malformed.
  it.each<[string, () => string, object, string, string]>([
    ['configmaps', core, {}, 'uu', 'mumu'],
    ['secrets', core, {}, 'uu', 'mumu'],
    ['services', core, { spec: { ports: [{ port: 80 }] } }, 'u', 'mu'],
    ['limitranges', core, { spec: { limits: [] } }, 'u', 'mmu'],
    ['nodes', () => '/api/v1', {}, 'uu', 'mmuu'],
    [
      'persistentvolumes',
      () => '/api/v1',
      { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } },
      'uu',
      'mmumu',
    ],
    ['deployments', () => `/apis/apps/v1/namespaces/${namespace}`, { spec: deployment }, 'u', 'mu'],
    ['leases', () => `/apis/coordination.k8s.io/v1/namespaces/${namespace}`, {}, '', 'm'],
    ['poddisruptionbudgets', () => `/apis/policy/v1/namespaces/${namespace}`, { spec: {} }, '', 'm'],
  ])('of %s has as many causes as on kube-apiserver', async (plural, folder, object, bare, spaced) => {
    const path = `${folder()}/${plural}`;
    expect((await t.client.send('POST', path, { metadata: { name: 'f' }, ...object })).status).toBe(201);
    for (const [finalizer, expected] of [
      ['bad', bare],
      ['x y', spaced],
    ] as const) {
      const { body } = await t.client.send('PATCH', `${path}/f`, { metadata: { finalizers: [finalizer] } }, merge);
      const causes: { message: string }[] = body.details?.causes ?? [];
      const letters = causes.map(({ message }) =>
        message.includes(unqualified) ? 'u' : message.includes(malformed) ? 'm' : '?',
      );
      expect(letters.join('')).toBe(expected);
    }
  });
});

describe('delete options', () => {
  const scheme = 'in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"';

  it.each([
    [{ kind: 'Foo' }, `no kind "Foo" is registered for version "meta.k8s.io/v1" ${scheme}`],
    [{ kind: 'ConfigMap', apiVersion: 'v1' }, `no kind "ConfigMap" is registered for version "v1" ${scheme}`],
    [{ kind: 'Status', apiVersion: 'v1' }, 'converting (v1.Status) to (v1.DeleteOptions): unknown conversion'],
    [[], "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion"],
  ])('%j are refused', async (options, message) => {
    const { status, body } = await t.client.send('DELETE', `/api/v1/namespaces/${namespace}/configmaps/none`, options);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });
});
