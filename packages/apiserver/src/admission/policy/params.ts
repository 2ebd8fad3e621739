import {
  apiVersionOf,
  type GroupVersionKind,
  type JsonObject,
  type KubeObject,
  type LabelSelector,
  labelSelectorOf,
  objectIn,
  textIn,
} from '@tsukube/machinery';
import { labelsOf } from '../../registry/derived.ts';
import type { ObjectRegistry } from '../../registry/object-registry.ts';
import { decodeObject } from '../../registry/stored-form.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';

/** The objects of a kind, built-in or custom. Undefined if the kind is not served. */
export type RegistryOfKind = (kind: GroupVersionKind) => ObjectRegistry | undefined;

/** A policy or binding that cannot be used for the request. */
export class ConfigurationProblem extends Error {
  override readonly name = 'ConfigurationProblem';
}

/** The registry of the kind of parameters. Throws ConfigurationProblem. */
export function paramRegistry(kind: GroupVersionKind, registryOfKind: RegistryOfKind): ObjectRegistry {
  const registry = registryOfKind(kind);
  if (registry) return registry;
  const { group, version, kind: name } = kind;
  throw new ConfigurationProblem(`failed to find resource referenced by paramKind: '${group}/${version}, Kind=${name}'`);
}

/**
 * The parameters that a binding selects; `[null]` for one without parameters. Empty if none exist and that is allowed. Rejects
 * with ConfigurationProblem.
 */
export async function collectParams(
  kind: GroupVersionKind | undefined,
  registry: ObjectRegistry | undefined,
  reference: JsonObject | undefined,
  namespace: string,
): Promise<readonly (JsonObject | null)[]> {
  if (!kind || !registry || !reference) return [null];
  const prefix = prefixOf(registry, reference, namespace);
  await registry.cache.loaded();
  const entries = [...selected(registry, prefix, reference)];
  if (entries.length === 0 && reference.parameterNotFoundAction === 'Deny')
    throw new ConfigurationProblem('no params found for policy binding with `Deny` parameterNotFoundAction');
  return entries.map((entry) => inVersion(entry, registry, kind));
}

function prefixOf(registry: ObjectRegistry, reference: JsonObject, namespace: string): string {
  const own = textIn(reference, 'namespace');
  if (registry.resource.scope === 'Namespaced') {
    if (own === '' && namespace === '')
      throw new ConfigurationProblem('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
    return registry.prefix(own || namespace);
  }
  if (own !== '') throw new ConfigurationProblem('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  return registry.prefix('');
}

function* selected({ cache }: ObjectRegistry, prefix: string, reference: JsonObject): Iterable<CacheEntry> {
  const name = textIn(reference, 'name');
  if (name !== '') {
    const entry = cache.peek(prefix + name);
    if (entry) yield entry;
    return;
  }
  const selector: LabelSelector = labelSelectorOf(objectIn(reference, 'selector') ?? {});
  for (const entry of cache.range(prefix)) if (selector.everything || selector.matches(labelsOf(entry))) yield entry;
}

function inVersion(entry: CacheEntry, { resource }: ObjectRegistry, kind: GroupVersionKind): JsonObject {
  const object = decodeObject(entry.value);
  const version = resource.versions.find((served) => served.group === kind.group && served.version === kind.version);
  if (!version || version === resource.hub) return object;
  const converted = (version.converter?.fromHub(object) ?? object) as KubeObject;
  return { ...converted, apiVersion: apiVersionOf(version) };
}
