import { defineResource, path, type ResourceObject, type RunningApiServer, serve } from '@tsukube/sdk';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';

const machines = defineResource({
  group: 'vm.example.com',
  version: 'v1',
  kind: 'Machine',
  shortNames: ['ma'],
  categories: ['infrastructure'],
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['cpus'],
        properties: {
          cpus: { type: 'integer', minimum: 1, maximum: 64 },
          node: { type: 'string' },
          settings: { type: 'object', additionalProperties: { type: 'string' } },
          replicas: { type: 'integer', default: 1 },
          disks: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        },
      },
      status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
    },
  },
  status: true,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: undefined },
  selectableFields: ['.spec.node'],
  columns: [
    { name: 'CPUs', type: 'integer', value: '.spec.cpus' },
    { name: 'Phase', value: (machine) => machine.status?.phase ?? 'Off' },
    { name: 'Node', value: '.spec.node', wide: true },
  ],
  strategy: {
    prepareForCreate(machine, { user }) {
      machine.metadata.labels = { ...machine.metadata.labels, owner: user.name };
    },
    prepareForUpdate(machine, old) {
      machine.metadata.labels = { ...machine.metadata.labels, owner: old.metadata.labels?.owner ?? '' };
    },
    validate(machine, errors, old) {
      if (old && machine.spec.cpus < old.spec.cpus) errors.forbidden(path('spec', 'cpus'), 'cannot shrink');
    },
    warnings: (machine) => (machine.spec.cpus > 32 ? ['this is a large machine'] : []),
  },
  versions: {
    v1beta1: {
      schema: {
        type: 'object',
        required: ['cores'],
        properties: { cores: { type: 'integer', maximum: 16 }, host: { type: 'string' } },
      },
      toHub: ({ cores, host }) => ({ spec: { cpus: cores, replicas: 1, ...(host !== undefined && { node: host }) } }),
      fromHub: ({ spec }) => ({ cores: spec.cpus, ...(spec.node !== undefined && { host: spec.node }) }),
      deprecated: true,
    },
  },
});
type Machine = ResourceObject<typeof machines>;

let server: RunningApiServer;
let client: Client;
beforeAll(async () => {
  server = await serve({ resources: [machines], port: 0 });
  client = clientFor(server.kubeconfig);
});
afterAll(async () => {
  client.close();
  await server.close();
});

const api = '/apis/vm.example.com/v1';
const collection = `${api}/namespaces/default/machines`;
const machine = (name: string, spec: object = { cpus: 2 }, more: object = {}) => ({
  apiVersion: 'vm.example.com/v1',
  kind: 'Machine',
  metadata: { name, ...more },
  spec,
});
const tableType = 'application/json;as=Table;g=meta.k8s.io;v=v1';

describe('a resource', () => {
  it('has types that follow from its schema', () => {
    expectTypeOf<Machine['spec']>().toEqualTypeOf<{
      cpus: number;
      replicas: number;
      node?: string;
      disks?: string[];
      settings?: Record<string, string>;
    }>();
    expectTypeOf<Machine['metadata']['name']>().toEqualTypeOf<string>();
  });

  it('is created with defaults, and by its strategy', async () => {
    const { status, body, headers } = await client.send('POST', collection, machine('a', { cpus: 40 }));
    expect(status).toBe(201);
    expect(body.metadata).toMatchObject({ labels: { owner: 'admin' }, generation: 1, namespace: 'default' });
    expect(body.spec).toEqual({ cpus: 40, replicas: 1 });
    expect(headers.warning).toBe('299 - "this is a large machine"');
  });

  it.each([
    ['no spec', { spec: undefined }, 'spec: Required value'],
    ['a field of another type', { spec: { cpus: 'many' } }, 'spec.cpus: Invalid value'],
    ['a value out of bounds', { spec: { cpus: 65 } }, 'spec.cpus: Invalid value: 65'],
    ['an invalid name', { metadata: { name: 'A_B' } }, 'metadata.name: Invalid value'],
  ])('is refused with %s', async (_, fields, message) => {
    const { status, body } = await client.send('POST', collection, { ...machine('refused'), ...fields });
    expect([status, body.message]).toEqual([422, expect.stringContaining(message)]);
  });

  it('is validated by its strategy when it is updated', async () => {
    const { body } = await client.send('POST', collection, machine('b', { cpus: 4 }));
    const put = await client.send('PUT', `${collection}/b`, { ...body, spec: { cpus: 2 } });
    expect([put.status, put.body.message]).toEqual([
      422,
      'Machine.vm.example.com "b" is invalid: spec.cpus: Forbidden: cannot shrink',
    ]);
    const patched = await client.send(
      'PATCH',
      `${collection}/b`,
      { spec: { cpus: 6 }, metadata: { labels: { owner: 'me' } } },
      merge,
    );
    expect([patched.body.spec.cpus, patched.body.metadata.labels, patched.body.metadata.generation]).toEqual([
      6,
      { owner: 'admin' },
      2,
    ]);
    expect((await client.send('PUT', `${collection}/b`, { ...body, spec: { cpus: 7 } })).status).toBe(409);
  });

  it('drops unknown fields, or refuses them if asked', async () => {
    const unknown = machine('unknown', { cpus: 1, gpus: 3 });
    const loose = await client.send('POST', collection, unknown);
    expect([loose.status, loose.body.spec.gpus, loose.headers.warning]).toEqual([
      201,
      undefined,
      '299 - "unknown field \\"spec.gpus\\""',
    ]);
    const strict = await client.send('POST', `${collection}?fieldValidation=Strict`, {
      ...unknown,
      metadata: { name: 'strict' },
    });
    expect([strict.status, strict.body.message]).toEqual([400, expect.stringContaining('unknown field "spec.gpus"')]);
  });

  it('keeps __proto__ and constructor as data', async () => {
    const spec = '{"cpus":1,"settings":{"__proto__":"p","constructor":"c"},"__proto__":{"cpus":9}}';
    const text = JSON.stringify(machine('proto')).replace('{"cpus":2}', `${spec},"__proto__":{"cpus":9}`);
    const { status, text: answer } = await client.send('POST', collection, text);
    expect(status).toBe(201);
    expect(answer).toContain('"spec":{"cpus":1,"settings":{"__proto__":"p","constructor":"c"},"replicas":1}');
    expect((await client.get(`${collection}/proto`)).text).toContain('"settings":{"__proto__":"p","constructor":"c"}');
    expect(({} as Record<string, unknown>).cpus).toBeUndefined();
  });

  it('is applied with owners of fields, and in a dry run', async () => {
    const apply = (manager: string, object: object, query = '') =>
      client.send('PATCH', `${collection}/applied?fieldManager=${manager}${query}`, object, {
        'content-type': 'application/apply-patch+yaml',
      });
    const dry = await apply('one', machine('applied', { cpus: 3, disks: ['x'] }), '&dryRun=All');
    expect([dry.status, (await client.get(`${collection}/applied`)).status]).toEqual([201, 404]);
    expect((await apply('one', machine('applied', { cpus: 3, disks: ['x'] }))).status).toBe(201);
    expect((await apply('two', machine('applied', { cpus: 3, disks: ['y'] }))).body.spec.disks).toEqual(['x', 'y']);
    expect((await apply('two', machine('applied', { cpus: 5 }))).status).toBe(409);
  });

  it('has a status of its own', async () => {
    await client.send('POST', collection, { ...machine('status'), status: { phase: 'Mine' } });
    const created = (await client.get(`${collection}/status`)).body;
    expect(created.status).toBeUndefined();
    const set = await client.send('PUT', `${collection}/status/status`, {
      ...created,
      spec: { cpus: 9 },
      status: { phase: 'On' },
    });
    expect([set.body.spec.cpus, set.body.status]).toEqual([2, { phase: 'On' }]);
    const wrong = await client.send('PATCH', `${collection}/status/status`, { status: { phase: 1 } }, merge);
    expect([wrong.status, wrong.body.message]).toEqual([422, expect.stringContaining('status.phase')]);
  });

  it('is scaled', async () => {
    await client.send('POST', collection, machine('scaled'));
    const { body } = await client.send('PATCH', `${collection}/scaled/scale`, { spec: { replicas: 4 } }, merge);
    expect([body.kind, body.spec.replicas]).toEqual(['Scale', 4]);
    expect((await client.get(`${collection}/scaled`)).body.spec.replicas).toBe(4);
  });

  it('is listed in Tables, in pages and by selectors', async () => {
    const place = `${api}/namespaces/lists/machines`;
    for (const [name, node] of [
      ['x', 'n1'],
      ['y', 'n2'],
      ['z', 'n1'],
    ] as const)
      await client.send('POST', place, machine(name, { cpus: 1, node }, { labels: { name } }));
    const table = (await client.get(place, { accept: tableType })).body;
    expect(table.columnDefinitions.map(({ name, priority }: { name: string; priority: number }) => [name, priority])).toEqual([
      ['Name', 0],
      ['CPUs', 0],
      ['Phase', 0],
      ['Node', 1],
      ['Age', 0],
    ]);
    expect(table.rows[0].cells.slice(0, 4)).toEqual(['x', 1, 'Off', 'n1']);
    const names = async (query: string) =>
      (await client.get(`${place}?${query}`)).body.items?.map((item: Machine) => item.metadata.name);
    expect(await names('fieldSelector=spec.node%3Dn1')).toEqual(['x', 'z']);
    expect(await names('labelSelector=name+in+(x,y)')).toEqual(['x', 'y']);
    const first = (await client.get(`${place}?limit=2`)).body;
    expect(await names(`limit=2&continue=${first.metadata.continue}`)).toEqual(['z']);
    expect((await client.get(`${place}?fieldSelector=spec.cpus%3D1`)).status).toBe(400);
    expect((await client.get(`${api}/machines?labelSelector=name%3Dx`)).body.items).toHaveLength(1);
  });

  it('is watched', async () => {
    const place = `${api}/namespaces/watched/machines`;
    const { resourceVersion } = (await client.get(place)).body.metadata;
    const watch = await client.watch(`${place}?watch=1&resourceVersion=${resourceVersion}&labelSelector=on`);
    await client.send('POST', place, machine('w', { cpus: 1 }, { labels: { on: 'yes' } }));
    await client.send('PATCH', `${place}/w`, { metadata: { labels: { on: null } } }, merge);
    expect((await watch.take(2)).map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ['ADDED', 'w'],
      ['DELETED', 'w'],
    ]);
    watch.close();
  });

  it('is deleted with preconditions and finalizers, alone and as a collection', async () => {
    const place = `${api}/namespaces/deleted/machines`;
    await client.send('POST', place, machine('f', { cpus: 1 }, { finalizers: ['example.com/f'] }));
    const wrong = await client.send('DELETE', `${place}/f`, { preconditions: { uid: 'other' } });
    expect(wrong.status).toBe(409);
    expect((await client.send('DELETE', `${place}/f`)).body.metadata.deletionTimestamp).toBeDefined();
    expect((await client.send('PATCH', `${place}/f`, { metadata: { finalizers: null } }, merge)).status).toBe(200);
    expect((await client.get(`${place}/f`)).status).toBe(404);
    for (const name of ['p', 'q']) await client.send('POST', place, machine(name));
    expect((await client.send('DELETE', place)).status).toBe(200);
    expect((await client.get(place)).body.items).toEqual([]);
  });

  it('is converted between versions', async () => {
    const old = `/apis/vm.example.com/v1beta1/namespaces/default/machines`;
    const object = { apiVersion: 'vm.example.com/v1beta1', kind: 'Machine', metadata: { name: 'old' }, cores: 4, host: 'n9' };
    const created = await client.send('POST', old, object);
    expect([created.status, created.body.cores, created.headers.warning]).toEqual([
      201,
      4,
      '299 - "vm.example.com/v1beta1 Machine is deprecated"',
    ]);
    expect((await client.get(`${collection}/old`)).body.spec).toEqual({ cpus: 4, node: 'n9', replicas: 1 });
    expect((await client.get(old)).body.items.find((item: Machine) => item.metadata.name === 'old')).toMatchObject({ cores: 4 });
    const large = await client.send('POST', old, { ...object, metadata: { name: 'large' }, cores: 20 });
    expect([large.status, large.body.message]).toEqual([422, expect.stringContaining('cores: Invalid value: 20')]);
  });
});

describe('the server', () => {
  it('describes its resources', async () => {
    const { resources } = (await client.get(api)).body;
    expect(resources.map(({ name }: { name: string }) => name)).toEqual(['machines', 'machines/scale', 'machines/status']);
    expect(resources[0]).toMatchObject({ shortNames: ['ma'], categories: ['infrastructure'], singularName: 'machine' });
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const aggregated = (await client.get('/apis', { accept })).body;
    expect(aggregated.items[0].versions.map(({ version }: { version: string }) => version)).toEqual(['v1', 'v1beta1']);
    const v3 = (await client.get('/openapi/v3/apis/vm.example.com/v1')).body;
    const schema = v3.components.schemas['com.example.vm.v1.Machine'];
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['apiVersion', 'kind', 'metadata', 'spec', 'status']));
    const v1beta1 = (await client.get('/openapi/v3/apis/vm.example.com/v1beta1')).body;
    expect(v1beta1.components.schemas['com.example.vm.v1beta1.Machine'].properties.cores.type).toBe('integer');
    const { definitions } = (await client.get('/openapi/v2')).body;
    expect(Object.keys(definitions)).toEqual(
      expect.arrayContaining(['com.example.vm.v1.Machine', 'com.example.vm.v1beta1.Machine']),
    );
  });

  it('has health, metrics and a version', async () => {
    expect((await client.get('/readyz?verbose')).text).toContain('[+]storage ok');
    expect((await client.get('/metrics')).text).toContain('apiserver_request_total{');
    expect((await client.get('/version')).body.major).toBe('1');
    expect((await client.get('/')).body.paths).toContain('/apis/vm.example.com/v1');
  });

  it('gives its owner a client', async () => {
    const kube = await server.client();
    const api = kube.resource<Machine>('vm.example.com/v1/machines', { namespace: 'typed' });
    const created = await api.create({
      apiVersion: 'vm.example.com/v1',
      kind: 'Machine',
      metadata: { name: 't' },
      spec: { cpus: 1, replicas: 2 },
    });
    expect(created.spec.replicas).toBe(2);
    await kube.close();
  });
});

const merge = { 'content-type': 'application/merge-patch+json' };
