import type { MetadataCheck, Resource, Subresource } from '@tsukube/apiserver';

/** Groups whose finalizers need not be qualified names. */
const unqualifiedGroups: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'policy',
]);

/** Kinds whose update validation differs from a single ValidateObjectMetaUpdate. Each check reports its errors, so some appear twice. */
const onUpdate: readonly (readonly [readonly MetadataCheck[], readonly string[]])[] = [
  [[], ['poddisruptionbudgets']],
  [
    ['object'],
    [
      ...['csinodes', 'endpointslices', 'flowschemas', 'limitranges', 'prioritylevelconfigurations', 'volumeattachments'],
      ...['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings', 'mutatingwebhookconfigurations'],
      ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings', 'validatingwebhookconfigurations'],
    ],
  ],
  [['object', 'object'], ['persistentvolumes']],
  [
    ['object', 'update'],
    [
      ...['apiservices', 'clusterrolebindings', 'clusterroles', 'csistoragecapacities', 'deviceclasses', 'ipaddresses', 'jobs'],
      ...['namespaces', 'nodes', 'resourceclaims', 'resourceclaimtemplates', 'rolebindings', 'roles', 'runtimeclasses'],
      'storageclasses',
    ],
  ],
  [
    ['update', 'object'],
    [
      ...['configmaps', 'controllerrevisions', 'endpoints', 'ingressclasses', 'ingresses', 'persistentvolumeclaims', 'pods'],
      ...['secrets', 'serviceaccounts', 'volumeattributesclasses'],
    ],
  ],
];

const checksByPlural = new Map(onUpdate.flatMap(([checks, plurals]) => plurals.map((plural) => [plural, checks] as const)));

/** Adds to each resource the metadata validation that kube-apiserver performs for it. */
export function withMetadataChecks(resources: readonly Resource[]): readonly Resource[] {
  return resources.map((resource) => {
    const { strategy, subresources, names, hub } = resource;
    const qualifiedFinalizers = !unqualifiedGroups.has(hub.group);
    return {
      ...resource,
      strategy: { ...strategy, qualifiedFinalizers, metadataOnUpdate: checksByPlural.get(names.plural) },
      ...(subresources && {
        subresources: Object.fromEntries(Object.entries(subresources).map(([name, each]) => [name, checkedAsUpdate(each)])),
      }),
    };
  });
}

/** A subresource with its own update validation runs ValidateObjectMetaUpdate once. */
function checkedAsUpdate(subresource: Subresource): Subresource {
  const { strategy } = subresource;
  return strategy?.validateUpdate ? { ...subresource, strategy: { ...strategy, metadataOnUpdate: ['update'] } } : subresource;
}
