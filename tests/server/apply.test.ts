import { describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { newNamespace, useServer } from '../support/server.ts';

const t = useServer();
const yaml = { 'content-type': 'application/apply-patch+yaml' };
const merge = { 'content-type': 'application/merge-patch+json' };

const configMap = (data?: Any, metadata: Any = { name: 'a' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  ...(data && { data }),
});
const apply = (path: string, body: unknown, query = 'fieldManager=one') =>
  t.client.send('PATCH', `${path}/a?${query}`, body, yaml);
const owners = (body: Any) => (body.metadata.managedFields ?? []).map(({ manager, operation }: Any) => `${manager} ${operation}`);

describe('apply', () => {
  it('creates an object', async () => {
    const path = await newNamespace(t.client);
    const { status, body } = await apply(path, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n');
    expect(status).toBe(201);
    expect(body.data).toEqual({ k: 'v' });
    expect(body.metadata.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:k': {} } } },
    ]);
  });

  it('changes nothing in a dry run', async () => {
    const path = await newNamespace(t.client);
    expect((await apply(path, configMap({ k: 'v' }), 'fieldManager=one&dryRun=All')).status).toBe(201);
    expect((await t.client.get(`${path}/a`)).status).toBe(404);
  });

  it('takes over fields of client-side apply, and updates the last-applied annotation', async () => {
    const path = await newNamespace(t.client);
    const key = 'kubectl.kubernetes.io/last-applied-configuration';
    const last = JSON.stringify(configMap({ k: '1' }));
    await t.client.send(
      'POST',
      `${path}?fieldManager=kubectl-client-side-apply`,
      configMap({ k: '1' }, { name: 'a', annotations: { [key]: last } }),
    );
    expect((await apply(path, configMap({ k: '2' }))).status).toBe(409);
    const { status, body } = await apply(path, configMap({ k: '2' }), 'fieldManager=kubectl');
    expect(status).toBe(200);
    expect(JSON.parse(body.metadata.annotations[key])).toEqual(configMap({ k: '2' }));
  });

  it('attributes existing fields to before-first-apply', async () => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap({ k: '1' }));
    await t.client.send('PATCH', `${path}/a`, { metadata: { managedFields: [{}] } }, merge);
    const { body } = await apply(path, configMap({ l: '1' }));
    expect(owners(body)).toEqual(['one Apply', 'before-first-apply Update']);
  });

  const typed = 'failed to create typed patch object (/a; /v1, Kind=ConfigMap): ';
  it.each<[string, unknown, string, number, string]>([
    ['another kind', { ...configMap(), kind: 'Secret' }, '', 400, 'invalid object type: /v1, Kind=Secret'],
    ['another version', { ...configMap(), apiVersion: 'x/v2' }, '', 400, 'invalid object type: x/v2, Kind=ConfigMap'],
    ['no kind', {}, '', 400, 'invalid object type: /, Kind='],
    ['an unknown field', { ...configMap(), foo: 1 }, '', 500, `${typed}.foo: field not declared in schema`],
    ['a misfit', configMap({ k: 1 }), '', 500, `${typed}.data.k: expected string, got &value.valueUnstructured{Value:1}`],
    ['owners', configMap({}, { name: 'a', managedFields: [] }), '', 400, 'metadata.managedFields must be nil'],
    ['another name', configMap({}, { name: 'b' }), '', 400, 'the name of the object (b) does not match the name on the URL (a)'],
    ['no name', configMap({}, {}), '', 400, 'the name of the object (a based on URL) was undeterminable: name must be provided'],
    [
      'a list',
      '[]',
      '',
      400,
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      'a duplicate key with Strict',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: a\n',
      '&fieldValidation=Strict',
      400,
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key "name" already set in map',
    ],
  ])('refuses %s', async (_, body, query, status, message) => {
    const path = await newNamespace(t.client);
    const reply = await apply(path, body, `fieldManager=one${query}`);
    expect([reply.status, reply.body.message]).toEqual([status, message]);
    expect((await t.client.get(`${path}/a`)).status).toBe(404);
  });

  it('requires fieldManager, and refuses force for other patches', async () => {
    const path = await newNamespace(t.client);
    expect((await apply(path, configMap(), '')).body.details.causes).toEqual([
      { reason: 'FieldValueRequired', message: 'Required value: is required for apply patch', field: 'fieldManager' },
    ]);
    expect((await t.client.send('PATCH', `${path}/a?force=true`, {}, merge)).body.details.causes).toEqual([
      { reason: 'FieldValueForbidden', message: 'Forbidden: may not be specified for non-apply patch', field: 'force' },
    ]);
  });
});

describe('managedFields', () => {
  it('names a client by its User-Agent, and keeps the timestamps of unchanged entries', async () => {
    const path = await newNamespace(t.client);
    const { body } = await t.client.send('POST', path, configMap({ k: '1' }), { 'user-agent': 'my\u00e9tool/1.2 (linux)' });
    expect(body.metadata.managedFields[0].manager).toMatch(/^my.*tool$/);
    const again = await t.client.send('PUT', `${path}/a`, body, { 'user-agent': 'other/1' });
    expect(again.body).toEqual(body);
  });

  it.each([[[]], [[{}]]])('are removed by %j, and not tracked from then on', async (managedFields) => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', path, configMap({ k: '1' }));
    const removed = await t.client.send('PATCH', `${path}/a`, { metadata: { managedFields } }, merge);
    expect(owners(removed.body)).toEqual([]);
    expect(owners((await t.client.send('PATCH', `${path}/a`, { data: { l: '1' } }, merge)).body)).toEqual([]);
  });

  it('keep ten update entries, and merge the oldest', async () => {
    const path = await newNamespace(t.client);
    await t.client.send('POST', `${path}?fieldManager=m0`, configMap({ k0: '1' }));
    let last: Any;
    for (let i = 1; i < 14; i++)
      last = await t.client.send('PATCH', `${path}/a?fieldManager=m${i}`, { data: { [`k${i}`]: '1' } }, merge);
    expect(owners(last.body)).toHaveLength(10);
    expect(owners(last.body)).toContain('ancient-changes Update');
  });

  it('are kept if a client sends invalid ones', async () => {
    const path = await newNamespace(t.client);
    const { body } = await t.client.send('POST', path, configMap({ k: '1' }));
    const [entry] = body.metadata.managedFields;
    const broken = { ...body, metadata: { ...body.metadata, managedFields: [{ ...entry, fieldsV1: { 'x:k': {} } }] } };
    expect((await t.client.send('PUT', `${path}/a`, broken)).body).toEqual(body);
  });
});
