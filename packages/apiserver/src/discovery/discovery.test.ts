import type { BytesAnswer } from '@tsukube/transport';
import { describe, expect, it } from 'vitest';
import type { Resource } from '../registry/resource.ts';
import { sampleRequest, sampleResource, sampleResources, sampleTypes } from '../registry/sample-resources.ts';
import { createDiscovery, type Discovery } from './discovery.ts';

const create = (resources: readonly Resource[] = sampleResources) =>
  createDiscovery(() => resources, { serverAddress: () => '192.0.2.2:6443' });

async function get(discovery: Discovery, path: string, headers: Record<string, string> = {}): Promise<BytesAnswer> {
  return (await discovery.answer(sampleRequest(path, headers))) as BytesAnswer;
}

// biome-ignore lint/suspicious/noExplicitAny: parsed documents, looked into without declaring their shape
type Any = any;

const textOf = ({ body }: BytesAnswer) => Buffer.from(body as Uint8Array).toString();
const bodyOf = async (path: string, headers?: Record<string, string>) => JSON.parse(textOf(await get(create(), path, headers)));

const aggregated = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const everyVerb = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

describe('discovery by group and version', () => {
  it('lists the versions of the core group', async () => {
    expect(await bodyOf('/api')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.2:6443' }],
    });
  });

  it('lists the groups', async () => {
    const version = { groupVersion: 'coordination.k8s.io/v1', version: 'v1' };
    const group = { name: 'coordination.k8s.io', versions: [version], preferredVersion: version };
    expect(await bodyOf('/apis')).toEqual({ kind: 'APIGroupList', apiVersion: 'v1', groups: [group] });
    expect(await bodyOf('/apis/coordination.k8s.io/')).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...group });
  });

  it('lists resources with their subresources by name', async () => {
    const { resources, ...list } = await bodyOf('/api/v1');
    expect(list).toEqual({ kind: 'APIResourceList', groupVersion: 'v1' });
    expect(resources).toEqual([
      {
        name: 'configmaps',
        singularName: 'configmap',
        namespaced: true,
        kind: 'ConfigMap',
        verbs: everyVerb,
        shortNames: ['cm'],
        storageVersionHash: 'qFsyl6wFWjQ=',
      },
      {
        name: 'namespaces',
        singularName: 'namespace',
        namespaced: false,
        kind: 'Namespace',
        verbs: everyVerb.filter((verb) => verb !== 'deletecollection'),
        shortNames: ['ns'],
        storageVersionHash: 'Q3oi5N2YM8M=',
      },
      { name: 'namespaces/finalize', singularName: '', namespaced: false, kind: 'Namespace', verbs: ['update'] },
      { name: 'namespaces/status', singularName: '', namespaced: false, kind: 'Namespace', verbs: ['get', 'patch', 'update'] },
    ]);
  });

  it('has the apiVersion of the list for named groups', async () => {
    expect(await bodyOf('/apis/coordination.k8s.io/v1')).toMatchObject({
      apiVersion: 'v1',
      groupVersion: 'coordination.k8s.io/v1',
    });
  });

  it('has the group of a foreign kind and the verbs of connect subresources', async () => {
    const handler = () => ({ kind: 'bytes', status: 200, type: '', body: '' }) as const;
    const pods = sampleResource(
      { kind: 'Pod' },
      {
        storagePrefix: '',
        subresources: {
          eviction: { verbs: { create: handler }, kind: { group: 'policy', version: 'v1', kind: 'Eviction' } },
          exec: {
            verbs: { connect: handler },
            connectMethods: ['get', 'post'],
            kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
          },
        },
      },
    );
    const answer = await get(create([pods]), '/api/v1');
    expect(JSON.parse(textOf(answer)).resources).toMatchObject([
      { name: 'pods', verbs: everyVerb },
      { name: 'pods/eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
      { name: 'pods/exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
    ]);
    expect(textOf(answer)).not.toContain('storageVersionHash');
  });

  it('answers in YAML', async () => {
    const answer = await get(create(), '/apis/coordination.k8s.io', { accept: 'application/yaml' });
    expect(answer.type).toBe('application/yaml');
    expect(textOf(answer)).toContain('preferredVersion:\n  groupVersion: coordination.k8s.io/v1');
  });

  it('answers 406 to unsupported media types', async () => {
    await expect(async () => get(create(), '/api', { accept: 'application/xml' })).rejects.toMatchObject({ code: 406 });
  });

  it('rejects other methods where Kubernetes does', () => {
    expect(() => create().answer(sampleRequest('/api/v1', {}, 'POST'))).toThrow('the server does not allow this method');
  });

  it.each(['/', '/apix', '/api/v2', '/apis/nothing', '/apis/coordination.k8s.io/v2', '/api/v1/namespaces'])(
    'leaves %s to others',
    (path) => {
      expect(create().answer(sampleRequest(path))).toBeUndefined();
    },
  );
});

describe('legacy versions', () => {
  const schema = { catalogue: sampleTypes, type: 'example.Ingress', listType: 'example.IngressList' };
  const version = (group: string, name: string, legacy = false) => ({ group, version: name, schema, legacy });
  const v1 = version('networking.k8s.io', 'v1');
  const names = { plural: 'ingresses', singular: 'ingress', kind: 'Ingress', listKind: 'IngressList' };
  const ingresses = (...versions: Resource['versions']) =>
    sampleResource(
      { kind: 'Ingress' },
      { names: { ...names, shortNames: ['ing'], categories: ['all'] }, hub: versions[0] ?? v1, versions },
    );
  const pages = async (resource: Resource, path: string) => [
    JSON.parse(textOf(await get(create([resource]), path))),
    JSON.parse(textOf(await get(create([resource]), '/apis', { accept: aggregated('v2') }))),
  ];

  it('come last, without the short names and categories that a current version has', async () => {
    const resource = ingresses(
      v1,
      version('extensions', 'v1beta1', true),
      version('networking.k8s.io', 'v2', true),
      version('networking.k8s.io', 'v1beta1'),
    );
    const [{ groups }, { items }] = await pages(resource, '/apis');
    const listed = ['networking.k8s.io/v1', 'networking.k8s.io/v1beta1', 'networking.k8s.io/v2', 'extensions/v1beta1'];
    expect(groups.flatMap((group: Any) => group.versions.map(({ groupVersion }: Any) => groupVersion))).toEqual(listed);
    const nested = items.flatMap(({ metadata, versions }: Any) => versions.map((v: Any) => [`${metadata.name}/${v.version}`, v]));
    expect(nested.map(([name]: Any) => name)).toEqual(listed);
    const short = nested.map(([, { resources }]: Any) => [resources[0].shortNames, resources[0].categories]);
    expect(short).toEqual([
      [['ing'], ['all']],
      [['ing'], ['all']],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('have neither in the list of their own version', async () => {
    const [{ resources }] = await pages(ingresses(v1, version('extensions', 'v1beta1', true)), '/apis/extensions/v1beta1');
    expect(resources[0]).not.toHaveProperty('shortNames');
    expect(resources[0]).not.toHaveProperty('categories');
  });

  it('keep both where no current version is served', async () => {
    const [{ resources }] = await pages(ingresses(version('extensions', 'v1beta1', true)), '/apis/extensions/v1beta1');
    expect(resources[0]).toMatchObject({ shortNames: ['ing'], categories: ['all'] });
  });
});

describe('aggregated discovery', () => {
  it.each(['v2', 'v2beta1'])('answers in %s', async (version) => {
    const answer = await get(create(), '/apis', { accept: `${aggregated(version)},application/json` });
    expect(answer.type).toBe(aggregated(version));
    expect(answer.headers).toMatchObject({ vary: 'Accept', 'cache-control': 'public' });
    expect(JSON.parse(textOf(answer))).toEqual({
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items: [
        {
          metadata: { name: 'coordination.k8s.io' },
          versions: [
            {
              version: 'v1',
              resources: [
                {
                  resource: 'leases',
                  responseKind: { group: '', version: '', kind: 'Lease' },
                  scope: 'Namespaced',
                  singularResource: 'lease',
                  verbs: everyVerb,
                },
              ],
              freshness: 'Current',
            },
          ],
        },
      ],
    });
  });

  it('nests subresources', async () => {
    const { items } = await bodyOf('/api', { accept: aggregated('v2') });
    expect(items[0].metadata).toEqual({});
    expect(items[0].versions[0].resources[1].subresources).toEqual([
      { subresource: 'finalize', responseKind: { group: '', version: '', kind: 'Namespace' }, verbs: ['update'] },
      { subresource: 'status', responseKind: { group: '', version: '', kind: 'Namespace' }, verbs: ['get', 'patch', 'update'] },
    ]);
  });

  it('answers 304 until something changes', async () => {
    const resources = [...sampleResources];
    const discovery = create(resources);
    const first = await get(discovery, '/apis', { accept: aggregated('v2') });
    const again = { accept: aggregated('v2'), 'if-none-match': first.headers?.etag as string };
    expect((await get(discovery, '/apis', again)).status).toBe(304);
    resources.push(sampleResource({ kind: 'Deployment', group: 'apps' }));
    expect((await get(discovery, '/apis', again)).status).toBe(304);
    discovery.invalidate();
    expect((await get(discovery, '/apis', again)).status).toBe(200);
  });

  it('is for /api and /apis only', async () => {
    await expect(async () => get(create(), '/api/v1', { accept: aggregated('v2') })).rejects.toMatchObject({ code: 406 });
  });
});
