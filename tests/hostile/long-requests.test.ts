import { describe, expect, it } from 'vitest';
import { createDefinition, definition, until } from '../support/definitions.ts';
import { useServer } from '../support/server.ts';
import { holdOf } from './event-loop.ts';

const t = useServer();
const limit = { timeout: 120_000 };
const configMaps = '/api/v1/namespaces/default/configmaps?dryRun=All';
const pods = '/api/v1/namespaces/default/pods?dryRun=All';

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** CPU time of a request with `count` and with `2 * count` elements. */
async function growth(count: number, send: (count: number) => Promise<unknown>): Promise<{ once: number; twice: number }> {
  await send(10);
  const once = (await holdOf(() => send(count))).hold.total;
  const twice = (await holdOf(() => send(2 * count))).hold.total;
  return { once, twice };
}

/** A quadratic algorithm takes four times as long for twice the input; repeated because of garbage collections. */
async function expectLinear(count: number, send: (count: number) => Promise<unknown>): Promise<void> {
  const { once, twice } = await growth(count, send);
  expect(twice).toBeLessThan(3 * once + 150);
}

function entries(count: number, operation: string, apiVersion = 'v1') {
  return times(count, (i) => ({
    manager: `m${i}`,
    operation,
    apiVersion,
    fieldsType: 'FieldsV1',
    time: '2026-01-01T00:00:00Z',
    fieldsV1: { 'f:data': Object.fromEntries(times(40, (j) => [`f:k${i}-${j}`, {}])) },
  }));
}

describe('managedFields', () => {
  it.each(['Apply', 'Update'])('of many managers (%s) take linear time', limit, async (operation) => {
    await expectLinear(400, async (count) => {
      const metadata = { name: 'a', managedFields: entries(count, operation) };
      const { status } = await t.client.send('POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
      expect(status).toBe(201);
    });
  });

  it('of more than 1,000 entries are refused', limit, async () => {
    const group = 'authorization.k8s.io/v1';
    const review = {
      apiVersion: group,
      kind: 'SelfSubjectAccessReview',
      metadata: { managedFields: entries(1001, 'Update', group).map((entry) => ({ ...entry, fieldsV1: { 'f:spec': {} } })) },
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    };
    const { status, body } = await t.client.send('POST', `/apis/${group}/selfsubjectaccessreviews`, review);
    expect(status).toBe(413);
    expect(body).toMatchObject({
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: metadata.managedFields has 1001 entries, the limit is 1000',
    });
  });

  it('grow to 1,000 entries by apply', limit, async () => {
    const path = '/api/v1/namespaces/default/configmaps/many-appliers';
    const patch = (manager: string, body: object) =>
      t.client.send('PATCH', `${path}?fieldManager=${manager}`, body, { 'content-type': 'application/apply-patch+yaml' });
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'many-appliers' } };
    const managedFields = entries(1000, 'Apply').map((entry, i) => ({ ...entry, fieldsV1: { 'f:data': { [`f:${i}`]: {} } } }));
    const data = Object.fromEntries(times(1000, (i) => [`${i}`, 'x']));
    const made = { ...object, data, metadata: { ...object.metadata, managedFields } };
    // A create owns every field, an update without changes owns none.
    expect((await t.client.send('POST', '/api/v1/namespaces/default/configmaps', { ...object, data })).status).toBe(201);
    expect((await t.client.send('PUT', path, made)).body.metadata.managedFields).toHaveLength(1000);
    expect((await patch('m1', { ...object, data: { 1: 'x' } })).status).toBe(200);
    expect((await patch('another', { ...object, data: { 1: 'x' } })).status).toBe(413);
  });
});

describe('a pod', () => {
  it.each([
    ['claims', (count: number) => ({ resources: { claims: times(count, (i) => ({ name: `c${i}` })) } })],
    [
      'quantities',
      (count: number) => ({ resources: { limits: Object.fromEntries(times(count, (i) => [`example.com/r${i}`, `${i + 1}`])) } }),
    ],
  ])('with many %s takes linear time', limit, async (_, container) => {
    await expectLinear(15_000, async (count) => {
      const spec = { containers: [{ name: 'c', image: 'i', ...container(count) }] };
      const { status } = await t.client.send('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
      expect([201, 422]).toContain(status);
    });
  });

  it('with errors that each list thousands of claims gets a bounded message', limit, async () => {
    const claims = times(10_000, (i) => ({ name: `missing${i}` }));
    const spec = {
      containers: [{ name: 'c', image: 'i', resources: { claims } }],
      resourceClaims: times(10_000, (i) => ({ name: `known${i}`, resourceClaimName: 'x' })),
    };
    const { status, text } = await t.client.send('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    expect(status).toBe(422);
    expect(text.length).toBeLessThan(4 << 20);
    expect(text).toMatch(/and \d+ more/);
  });
});

describe('a schema', () => {
  const choices = (depth: number): object => (depth === 0 ? { minimum: 5 } : { anyOf: [choices(depth - 1), choices(depth - 1)] });
  const schemaOf = (items: object) => ({ type: 'object', properties: { spec: { type: 'array', items } } });
  const body = (kind: string, spec: string) =>
    `{"apiVersion":"example.com/v1","kind":"${kind}","metadata":{"name":"a"},"spec":[${spec}]}`;
  const list = (count: number) => times(count, () => '{}').join(',');

  it('with many alternatives for every value has a step limit', limit, async () => {
    const schema = schemaOf({ type: 'integer', ...choices(12) });
    const path = await createDefinition(t.client, definition('choices', { schema, names: { kind: 'Choice' } }));
    expect((await t.client.send('POST', path, body('Choice', '5,6'))).status).toBe(201);
    const spec = times(5000, (i) => i % 5).join(',');
    const { result, hold } = await holdOf(() => t.client.send('POST', path, body('Choice', spec)));
    expect(result.status).toBe(413);
    expect(result.body.message).toContain('too many steps');
    expect(hold.longest).toBeLessThan(2000);
  });

  it('with defaults that add more than twice the largest body has a size limit', limit, async () => {
    const large = Object.fromEntries(times(1000, (i) => [`key-${i}`, 'value']));
    const property = { type: 'object', additionalProperties: { type: 'string' }, default: large };
    const schema = schemaOf({ type: 'object', properties: { a: property } });
    const path = await createDefinition(t.client, definition('fillings', { schema }));
    expect((await t.client.send('POST', path, body('Filling', list(10)))).status).toBe(201);
    const many = body('Filling', list(500_000));
    const merge = { 'content-type': 'application/merge-patch+json' };
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const refusals = [
      await t.client.send('POST', path, many),
      await t.client.send('PUT', `${path}/a`, many),
      await t.client.send('PATCH', `${path}/a`, `{"spec":[${list(500_000)}]}`, merge),
      await t.client.send('PATCH', `${path}/a?fieldManager=a&force=true`, many, apply),
    ];
    for (const { status, text } of refusals) {
      expect(status).toBe(413);
      expect(text).toContain('defaults add more than');
    }
  });

  it('whose new default makes stored objects too large fails their reads only', limit, async () => {
    const small = definition('growths', { schema: schemaOf({ type: 'object', properties: { a: { type: 'string' } } }) });
    const path = await createDefinition(t.client, small);
    expect((await t.client.send('POST', path, body('Growth', list(10_000)))).status).toBe(201);
    const large = schemaOf({ type: 'object', properties: { a: { type: 'string', default: 'x'.repeat(10_000) } } });
    const patch = [{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value: large }];
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const jsonPatch = { 'content-type': 'application/json-patch+json' };
    expect((await t.client.send('PATCH', `${definitions}/growths.example.com`, patch, jsonPatch)).status).toBe(200);
    const tooLarge = /^Internal error occurred: Request entity too large: defaults add more than \d+ bytes to the object$/;
    await until(async () => tooLarge.test((await t.client.get(`${path}/a`)).body.message));
    expect((await t.client.get('/api/v1/namespaces')).status).toBe(200);
  });
});
