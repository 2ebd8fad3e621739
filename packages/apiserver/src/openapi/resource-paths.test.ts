import { describe, expect, it } from 'vitest';
import { type ApiVersion, apiGroupsOf } from '../discovery/api-group.ts';
import type { Resource } from '../registry/resource.ts';
import { configMaps, namespaces, sampleResource } from '../registry/sample-resources.ts';
import { splitParameters } from './operation.ts';
import { resourcePaths } from './resource-paths.ts';

function pathsOf(resource: Resource) {
  const version = apiGroupsOf([resource])[0]?.versions[0] as ApiVersion;
  return version.resources.flatMap((each) => resourcePaths(version, each));
}

const idsOf = (resource: Resource) =>
  Object.fromEntries(
    pathsOf(resource).map(({ path, operations }) => [path, operations.map(({ method, id }) => `${method} ${id}`)]),
  );

describe('resourcePaths', () => {
  it('has all paths of a namespaced resource', () => {
    expect(idsOf(configMaps)).toEqual({
      '/api/v1/configmaps': ['get listCoreV1ConfigMapForAllNamespaces'],
      '/api/v1/namespaces/{namespace}/configmaps': [
        'get listCoreV1NamespacedConfigMap',
        'post createCoreV1NamespacedConfigMap',
        'delete deleteCoreV1CollectionNamespacedConfigMap',
      ],
      '/api/v1/namespaces/{namespace}/configmaps/{name}': [
        'get readCoreV1NamespacedConfigMap',
        'put replaceCoreV1NamespacedConfigMap',
        'delete deleteCoreV1NamespacedConfigMap',
        'patch patchCoreV1NamespacedConfigMap',
      ],
      '/api/v1/watch/configmaps': ['get watchCoreV1ConfigMapListForAllNamespaces'],
      '/api/v1/watch/namespaces/{namespace}/configmaps': ['get watchCoreV1NamespacedConfigMapList'],
      '/api/v1/watch/namespaces/{namespace}/configmaps/{name}': ['get watchCoreV1NamespacedConfigMap'],
    });
  });

  it('has the subresources of a cluster-scoped resource, and only served verbs', () => {
    expect(idsOf(namespaces)).toMatchObject({
      '/api/v1/namespaces': ['get listCoreV1Namespace', 'post createCoreV1Namespace'],
      '/api/v1/namespaces/{name}/finalize': ['put replaceCoreV1NamespaceFinalize'],
      '/api/v1/namespaces/{name}/status': [
        'get readCoreV1NamespaceStatus',
        'put replaceCoreV1NamespaceStatus',
        'patch patchCoreV1NamespaceStatus',
      ],
    });
  });

  it('names groups with dots, connect operations and kinds of other groups', () => {
    const handler = () => ({ kind: 'bytes', status: 200, type: '', body: '' }) as const;
    const resource = sampleResource(
      { kind: 'Address', group: 'net.example.com' },
      {
        verbs: {},
        subresources: {
          proxy: {
            verbs: { connect: handler },
            connectMethods: ['get'],
            kind: { group: 'net.example.com', version: 'v1', kind: 'ProxyOptions' },
          },
          scale: { verbs: { get: handler }, kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
        },
      },
    );
    const item = '/apis/net.example.com/v1/namespaces/{namespace}/addresss/{name}';
    expect(idsOf(resource)).toEqual({
      [`${item}/proxy`]: ['get connectNetExampleComV1GetNamespacedAddressProxy'],
      [`${item}/proxy/{path}`]: ['get connectNetExampleComV1GetNamespacedAddressProxyWithPath'],
      [`${item}/scale`]: ['get readNetExampleComV1NamespacedAddressScale'],
    });
    const scale = pathsOf(resource).find(({ path }) => path.endsWith('/scale'))?.operations[0];
    expect(scale?.responses).toEqual([{ code: 200, type: 'io.k8s.api.autoscaling.v1.Scale' }]);
  });

  it('uses the right indefinite article', () => {
    const descriptions = (kind: string) =>
      pathsOf(sampleResource({ kind })).flatMap((path) => path.operations.map((each) => each.description));
    expect(descriptions('Event')).toContain('create an Event');
    expect(descriptions('Endpoints')).toContain('create Endpoints');
    expect(descriptions('IngressClass')).toContain('delete an IngressClass');
  });

  it('lifts parameters shared by all operations to the path', () => {
    const path = pathsOf(configMaps).find(
      (each) => each.path.endsWith('{namespace}/configmaps/{name}') && !each.path.includes('watch'),
    );
    const { shared, of } = splitParameters(path ?? { path: '', operations: [] });
    expect(shared.map(({ name }) => name)).toEqual(['name', 'namespace', 'pretty']);
    const patch = path?.operations.find(({ method }) => method === 'patch');
    expect(patch && of(patch).map(({ name }) => name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });
});
