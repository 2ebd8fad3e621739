import { describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';

/** Limits in docs/security.md that no other test covers. */
const t = useServer();
const configMaps = '/api/v1/namespaces/default/configmaps';
const objectOf = (metadata: Any, more: Any = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  ...more,
});
const times = (count: number, make: (i: number) => string) => Array.from({ length: count }, (_, i) => make(i));

async function statusOf(method: string, path: string, body?: unknown) {
  const { status, text } = await t.client.send(method, path, body);
  return { status, text };
}

describe('selectors', () => {
  const select = (name: string, value: string) => statusOf('GET', `${configMaps}?${name}=${encodeURIComponent(value)}`);

  it.each([
    ['labelSelector', 'requirements', 1_000, (n: number) => times(n, (i) => `k${i}!=v`).join(',')],
    ['labelSelector', 'values', 10_000, (n: number) => `k notin (${times(n, (i) => `v${i}`).join(',')})`],
    ['fieldSelector', 'requirements', 1_000, (n: number) => times(n, (i) => `metadata.name!=v${i}`).join(',')],
  ])('%s: %s', async (name, _, most, of) => {
    expect((await select(name, of(most))).status).toBe(200);
    expect(await select(name, of(most + 1))).toMatchObject({ status: 400, text: expect.stringContaining('selector too long') });
  });
});

describe('objects', () => {
  const create = (object: Any) => statusOf('POST', `${configMaps}?dryRun=All`, object);

  it.each<[string, (n: number) => Any, number, string]>([
    [
      'bytes of annotations',
      (n) => objectOf({ annotations: { a: 'x'.repeat(n - 1) } }),
      256 * 1024,
      'metadata.annotations: Too long',
    ],
    [
      'bytes of data',
      (n) => objectOf({}, { data: { a: 'x'.repeat(n) } }),
      1024 * 1024,
      'Too long: may not be more than 1048576 bytes',
    ],
    ['characters of a name', (n) => objectOf({ name: 'x'.repeat(n) }), 253, 'metadata.name'],
    ['characters of a label', (n) => objectOf({ labels: { a: 'x'.repeat(n) } }), 63, 'must be no more than 63'],
    ['characters of a key of a label', (n) => objectOf({ labels: { ['x'.repeat(n)]: '' } }), 63, 'must be no more than 63'],
    ['characters of a key of data', (n) => objectOf({}, { data: { ['x'.repeat(n)]: '' } }), 253, 'must be no more than 253'],
  ])('%s', async (_, of, most, message) => {
    expect((await create(of(most))).status).toBe(201);
    expect(await create(of(most + 1))).toMatchObject({ status: 422, text: expect.stringContaining(message) });
  });

  it('at most 1,000 errors are reported', async () => {
    const { status, text } = await create(objectOf({ finalizers: times(3_000, (i) => `!${i}`) }));
    expect(status).toBe(422);
    expect(JSON.parse(text).details.causes).toHaveLength(1_000);
  });

  it('at most 100 unknown fields are reported', async () => {
    const unknown = Object.fromEntries(times(3_000, (i) => `f${i}`).map((name) => [name, 1]));
    const { status, text } = await statusOf('POST', `${configMaps}?dryRun=All&fieldValidation=Strict`, {
      ...objectOf({}),
      ...unknown,
    });
    expect(status).toBe(400);
    expect(text.match(/unknown field/g)).toHaveLength(100);
  });
});

describe('definitions', () => {
  const create = (schema: Any, version: Any = {}) =>
    statusOf('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'as.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'as', kind: 'A' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } }, ...version },
        ],
      },
    });

  it.each<[string, (n: number) => readonly [Any, Any?], number, string]>([
    [
      'characters of a CEL rule',
      (n) => [{ 'x-kubernetes-validations': [{ rule: `true${' '.repeat(n - 4)}` }] }],
      100_000,
      'expression code point size exceeds limit',
    ],
    [
      'nesting of a CEL rule',
      (n) => [{ 'x-kubernetes-validations': [{ rule: `${'('.repeat(n)}true${')'.repeat(n)}` }] }],
      200,
      'recursion',
    ],
    [
      'selectable fields',
      (n) => [
        {
          properties: {
            spec: {
              type: 'object',
              properties: Object.fromEntries(times(n, (i) => `f${i}`).map((name) => [name, { type: 'string' }])),
            },
          },
        },
        { selectableFields: times(n, (i) => `.spec.f${i}`).map((jsonPath) => ({ jsonPath })) },
      ],
      8,
      'must have at most 8 items',
    ],
  ])('%s', async (_, of, most, message) => {
    expect(await create(...of(most))).toMatchObject({ status: 201 });
    expect(await create(...of(most === 200 ? 300 : most + 1))).toMatchObject({
      status: 422,
      text: expect.stringContaining(message),
    });
  });
});

it('roles with more than 50,000 combinations are refused to users without the verb escalate', async () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const roleOf = (name: string, rules: Any) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules,
  });
  const rule = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['create'] };
  expect((await statusOf('POST', `${rbac}/clusterroles`, roleOf('writer', [rule]))).status).toBe(201);
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'writer' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'u' }],
  };
  expect((await statusOf('POST', `${rbac}/clusterrolebindings`, binding)).status).toBe(201);
  const create = async (resources: number) => {
    const rules = [{ apiGroups: [''], resources: times(resources, (i) => `r${i}`), verbs: times(50, (i) => `v${i}`) }];
    return (await t.client.send('POST', `${rbac}/clusterroles?dryRun=All`, roleOf('large', rules), { 'impersonate-user': 'u' }))
      .status;
  };
  await expect.poll(() => create(1), { timeout: 10_000 }).toBe(403);
  expect(await create(1_000)).toBe(403);
  expect(await create(1_001)).toBe(413);
});
