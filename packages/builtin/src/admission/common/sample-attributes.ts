import { type AdmissionAttributes, type AdmissionOperation, admissionAttributes, type Resource } from '@tsukube/apiserver';
import { apiVersionOf, type JsonObject, type KubeObject, objectIn } from '@tsukube/machinery';

type Overrides = Partial<
  Pick<AdmissionAttributes, 'operation' | 'subresource' | 'namespace' | 'name' | 'user' | 'dryRun' | 'warn' | 'annotate'>
>;

/**
 * Attributes of a write to a resource, for tests. `object` and `oldObject` need neither type meta nor metadata; an update has both,
 * a delete only `oldObject`.
 */
export function sampleAttributes(
  resource: Resource,
  object: JsonObject | undefined,
  oldObject?: JsonObject,
  overrides: Overrides = {},
): AdmissionAttributes {
  const { names, hub } = resource;
  const complete = (given: JsonObject | undefined): KubeObject | undefined =>
    given &&
    Object.assign(given, {
      apiVersion: apiVersionOf(hub),
      kind: names.kind,
      metadata: objectIn(given, 'metadata') ?? { name: 'x' },
    });
  const operation: AdmissionOperation = overrides.operation ?? (!object ? 'DELETE' : oldObject ? 'UPDATE' : 'CREATE');
  const objects = { name: overrides.name ?? 'x', object: complete(object), oldObject: complete(oldObject) };
  const attributes = admissionAttributes(operation, resource, objects, {
    version: hub,
    user: { name: 'u', groups: [] },
    namespace: resource.scope === 'Namespaced' ? 'ns' : '',
    subresource: '',
    strategy: resource.strategy,
    dryRun: false,
    fieldManager: null,
    warn: () => {},
    isOver: () => false,
  });
  return { ...attributes, ...overrides };
}
