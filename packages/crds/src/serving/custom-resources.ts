import type { CacheEntry, ObjectRegistry, Resource } from '@tsukube/apiserver';
import { isDefinitionConditionTrue } from '../definition/definition.ts';
import { type Definitions, isSameSpec } from '../definition/definitions.ts';
import { definitionOf } from '../definition/read-definition.ts';
import { openServing, type Serving, type ServingParts } from './serving.ts';

/** The resources of all definitions. */
export interface CustomResources {
  /** Created on first use. Undefined while the names of the definition are not accepted. */
  servingOf(entry: CacheEntry): Serving | undefined;
  /** The served versions of all established definitions. */
  resources(): Iterable<Resource>;
  /** The storage version of each definition, served or not. */
  stored(): Iterable<Resource>;
  /** The registry of one of these resources; undefined if its definition is gone. */
  registryOf(resource: Resource): ObjectRegistry | undefined;
  /** The resources of one definition. */
  resourcesOf(entry: CacheEntry): readonly Resource[];
  /** The registry of the storage version of a definition. */
  objectsOf(entry: CacheEntry): ObjectRegistry | undefined;
  close(): void;
}

export function openCustomResources(definitions: Definitions, parts: ServingParts): CustomResources {
  const servings = new Map<string, Serving>();
  const retired = new Set<Serving>();
  const drop = (name: string) => {
    const serving = servings.get(name);
    if (!serving) return;
    servings.delete(name);
    retired.add(serving);
    serving.retire(() => retired.delete(serving));
  };
  const check = (name: string, entry: CacheEntry | undefined) => {
    const serving = servings.get(name);
    if (!serving) return;
    if (entry && isSameSpec(serving.entry, entry)) serving.entry = entry;
    else drop(name);
  };
  const unsubscribe = definitions.onChange((change) => {
    if (change) check(change.name, change.after);
    else for (const name of [...servings.keys()]) check(name, definitions.named(name));
  });

  const servingOf = (entry: CacheEntry): Serving | undefined => {
    const { name, acceptedNames } = definitionOf(entry);
    const known = servings.get(name);
    if (known) return known;
    if (acceptedNames.plural === '' || acceptedNames.kind === '') return undefined;
    const serving = openServing(entry, parts);
    servings.set(name, serving);
    return serving;
  };

  const resourcesOf = (entry: CacheEntry): readonly Resource[] => {
    const definition = definitionOf(entry);
    if (!isDefinitionConditionTrue(definition, 'Established')) return [];
    const served = definition.versions.filter((version) => version.served);
    return served.flatMap(({ name }) => servingOf(entry)?.resource(name) ?? []);
  };

  return {
    servingOf,
    resourcesOf,
    *resources() {
      for (const entry of definitions.all()) yield* resourcesOf(entry);
    },
    *stored() {
      for (const entry of definitions.all()) {
        const definition = definitionOf(entry);
        const resource =
          isDefinitionConditionTrue(definition, 'Established') && servingOf(entry)?.resource(definition.storageVersion);
        if (resource) yield resource;
      }
    },
    registryOf({ hub, names }) {
      const entry = definitions.find(hub.group, names.plural);
      const serving = entry && servingOf(entry);
      return serving?.resource(hub.version) && serving.objects(hub.version);
    },
    objectsOf: (entry) => servingOf(entry)?.objects(definitionOf(entry).storageVersion),
    close() {
      unsubscribe();
      for (const serving of [...servings.values(), ...retired]) serving.close();
      servings.clear();
      retired.clear();
    },
  };
}
