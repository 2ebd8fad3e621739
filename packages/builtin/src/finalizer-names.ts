import type { Resource, Strategy, Subresource } from '@tsukube/apiserver';
import { type FieldErrors, type JsonObject, path } from '@tsukube/machinery';
import { metadataOf } from './columns.ts';
import { textsIn } from './core/pod-spec/members.ts';

/** Where Kubernetes takes any name, as it does for custom resources. */
const lenientGroups: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'policy',
]);

const standard: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
const finalizersPath = path('metadata', 'finalizers');

/** The resources, whose finalizers have to say by their names whose they are. */
export function withFinalizerNames(resources: readonly Resource[]): readonly Resource[] {
  return resources.map((resource) => (lenientGroups.has(resource.hub.group) ? resource : checkingNames(resource)));
}

function checkingNames(resource: Resource): Resource {
  const { strategy, subresources } = resource;
  const { validateCreate } = strategy;
  return {
    ...resource,
    strategy: {
      ...strategy,
      validateCreate(object, errors, version) {
        validateNames(object, errors);
        validateCreate?.(object, errors, version);
      },
      validateUpdate: checkingUpdate(strategy.validateUpdate),
    },
    ...(subresources && {
      subresources: Object.fromEntries(Object.entries(subresources).map(([name, each]) => [name, checkingSubresource(each)])),
    }),
  };
}

function checkingSubresource(subresource: Subresource): Subresource {
  const { strategy } = subresource;
  if (!strategy?.validateUpdate) return subresource;
  return { ...subresource, strategy: { ...strategy, validateUpdate: checkingUpdate(strategy.validateUpdate) } };
}

function checkingUpdate(validateUpdate: Strategy['validateUpdate']): NonNullable<Strategy['validateUpdate']> {
  return (object, old, errors, version) => {
    validateNames(object, errors);
    validateUpdate?.(object, old, errors, version);
  };
}

function validateNames(object: JsonObject, errors: FieldErrors): void {
  for (const [i, finalizer] of textsIn(metadataOf(object), 'finalizers').entries()) {
    if (finalizer.includes('/') || standard.has(finalizer)) continue;
    errors.invalid(finalizersPath.index(i), finalizer, 'name is neither a standard finalizer name nor is it fully qualified');
  }
}
