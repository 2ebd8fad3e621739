import type { BytesAnswer } from '@tsukube/transport';
import { describe, expect, it } from 'vitest';
import type { Resource } from '../registry/resource.ts';
import { sampleRequest, sampleResource, sampleResources } from '../registry/sample-resources.ts';
import { createOpenApi, type OpenApi } from './openapi.ts';

const options = {
  title: 'Kubernetes',
  version: '1.36',
  describe: (type: string, field?: string) => (field === undefined ? `about ${type}` : ''),
  now: () => Date.UTC(2026, 0, 1),
};
const create = (resources: readonly Resource[] = sampleResources) => createOpenApi(() => resources, options);

async function get(openApi: OpenApi, url: string, headers: Record<string, string> = {}): Promise<BytesAnswer> {
  return (await openApi.answer(sampleRequest(url, headers))) as BytesAnswer;
}

const jsonOf = ({ body }: BytesAnswer) => JSON.parse(Buffer.from(body as Uint8Array).toString());
const protobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

describe('/openapi/v3', () => {
  it('lists the documents with their hashes', async () => {
    const openApi = create();
    const { paths } = jsonOf(await get(openApi, '/openapi/v3'));
    expect(Object.keys(paths)).toEqual([
      'api',
      'api/v1',
      'apis',
      'apis/coordination.k8s.io',
      'apis/coordination.k8s.io/v1',
      'version',
    ]);
    const { etag } = (await get(openApi, '/openapi/v3/api/v1')).headers ?? {};
    expect(paths['api/v1'].serverRelativeURL).toBe(`/openapi/v3/api/v1?hash=${(etag as string).slice(1, -1)}`);
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
  });

  it('makes documents immutable under their hash', async () => {
    const openApi = create();
    const { paths } = jsonOf(await get(openApi, '/openapi/v3'));
    const answer = await get(openApi, paths['api/v1'].serverRelativeURL);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, immutable',
      expires: 'Fri, 01 Jan 2027 00:00:00 GMT',
      vary: 'Accept',
    });
    const moved = await get(openApi, '/openapi/v3/api/v1?hash=OLD');
    expect(moved).toMatchObject({ status: 301, headers: { location: paths['api/v1'].serverRelativeURL } });
  });

  it('answers 304, 404 and 406', async () => {
    const openApi = create();
    const etag = (await get(openApi, '/openapi/v3/api/v1')).headers?.etag as string;
    expect(await get(openApi, '/openapi/v3/api/v1', { 'if-none-match': `"X", W/${etag}` })).toMatchObject({
      status: 304,
      body: '',
    });
    expect(await get(openApi, '/openapi/v3/api/v2')).toMatchObject({ status: 404 });
    expect(await get(openApi, '/openapi/v3/api/v1', { accept: 'application/xml' })).toMatchObject({ status: 406 });
    expect(openApi.answer(sampleRequest('/openapi'))).toBeUndefined();
  });

  it('has the schemas of all reachable types', async () => {
    const document = jsonOf(await get(create(), '/openapi/v3/apis/coordination.k8s.io/v1'));
    expect(document).toMatchObject({ openapi: '3.0.0', info: { title: 'Kubernetes', version: '1.36' } });
    const names = Object.keys(document.components.schemas).map((name) => name.slice(name.lastIndexOf('.') + 1));
    expect(names).toEqual([
      'Lease',
      'LeaseList',
      'LeaseSpec',
      'APIResourceList',
      'DeleteOptions',
      'ListMeta',
      'MicroTime',
      'ObjectMeta',
      'Patch',
      'Status',
      'Time',
      'WatchEvent',
    ]);
    expect(document.components.schemas['io.k8s.api.coordination.v1.LeaseSpec'].description).toBe(
      'about io.k8s.api.coordination.v1.LeaseSpec',
    );
  });

  it('lists the group versions of common types only for its own group', async () => {
    const { schemas } = jsonOf(await get(create(), '/openapi/v3/apis/coordination.k8s.io/v1')).components;
    const gvks = schemas['io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions']['x-kubernetes-group-version-kind'];
    expect(gvks.map(({ group }: { group: string }) => group)).toEqual(['', 'coordination.k8s.io']);
  });

  it('describes operations', async () => {
    const { paths } = jsonOf(await get(create(), '/openapi/v3/api/v1'));
    const { parameters, patch } = paths['/api/v1/namespaces/{namespace}/configmaps/{name}'];
    expect(parameters[0]).toEqual({
      name: 'name',
      in: 'path',
      description: 'name of the ConfigMap',
      required: true,
      schema: { type: 'string', uniqueItems: true },
    });
    expect(patch).toMatchObject({
      tags: ['core_v1'],
      description: 'partially update the specified ConfigMap',
      operationId: 'patchCoreV1NamespacedConfigMap',
      requestBody: { required: true },
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'ConfigMap' },
    });
    expect(Object.keys(patch.responses)).toEqual(['200', '201', '401']);
    expect(patch.responses[200].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/io.k8s.api.core.v1.ConfigMap',
    });
  });

  it('is rebuilt after invalidation', async () => {
    const resources = [...sampleResources];
    const openApi = create(resources);
    const names = async () => Object.keys(jsonOf(await get(openApi, '/openapi/v3')).paths);
    const before = await names();
    resources.push(sampleResource({ kind: 'Thing', group: 'example.com' }));
    expect(await names()).toEqual(before);
    openApi.invalidate();
    expect(await names()).toContain('apis/example.com/v1');
    const { components } = jsonOf(await get(openApi, '/openapi/v3/apis/example.com/v1'));
    expect(components.schemas['example.Thing']).toEqual({ type: 'object' });
  });
});

describe('/openapi/v2', () => {
  it('describes all resources', async () => {
    const answer = await get(create(), '/openapi/v2');
    expect(answer).toMatchObject({ status: 200, type: 'application/json', headers: { vary: 'Accept' } });
    const document = jsonOf(answer);
    expect(document).toMatchObject({ swagger: '2.0', security: [{ BearerToken: [] }] });
    expect(Object.keys(document.paths)).toContain('/apis/coordination.k8s.io/v1/leases');
    expect(document.definitions['io.k8s.api.core.v1.ConfigMap']['x-kubernetes-group-version-kind']).toEqual([
      { group: '', kind: 'ConfigMap', version: 'v1' },
    ]);
  });

  it('shares common parameters, except those that old versions of kubectl expect inline', async () => {
    const { paths, parameters } = jsonOf(await get(create(), '/openapi/v2'));
    const { patch } = paths['/api/v1/namespaces/{namespace}/configmaps/{name}'];
    expect(patch.parameters[1]).toMatchObject({ name: 'dryRun', in: 'query' });
    for (const { $ref } of patch.parameters.filter((parameter: { $ref?: string }) => parameter.$ref)) {
      expect(parameters).toHaveProperty([$ref.replace('#/parameters/', '')]);
    }
    expect(patch.parameters.filter((parameter: { $ref?: string }) => parameter.$ref)).toHaveLength(3);
  });

  it.each([protobuf, protobuf.replace('@', '.')])('comes as %s', async (accept) => {
    const openApi = create();
    const answer = await get(openApi, '/openapi/v2', { accept });
    expect(answer.type).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    expect((answer.body as Uint8Array)[0]).toBe(0x0a);
    const again = await get(openApi, '/openapi/v2', { accept, 'if-none-match': answer.headers?.etag as string });
    expect(again.status).toBe(304);
  });

  it('answers 406 to unsupported media types', async () => {
    expect((await get(create(), '/openapi/v2', { accept: 'application/yaml' })).status).toBe(406);
  });
});
