import { decodeObject, type ObjectCache, type Resource } from '@tsukube/apiserver';
import { apiVersionOf, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import type { KindResource, ResourcesOfKind } from './owner-references-permission-enforcement.ts';

/** Finds built-in and custom resources by kind. */
export function resourcesOfKind(resources: () => readonly Resource[], definitions: ObjectCache | undefined): ResourcesOfKind {
  return async (apiVersion, kind) => {
    const builtIn = resources().flatMap((resource) => (resource.names.kind === kind ? servedAs(resource, apiVersion) : []));
    if (builtIn.length > 0 || !definitions) return builtIn;
    await definitions.fresh();
    const mark = Buffer.from(JSON.stringify(kind));
    return [...definitions.range(definitions.prefix)].flatMap(({ value }) =>
      value.includes(mark) ? customResource(objectIn(decodeObject(value), 'spec'), apiVersion, kind) : [],
    );
  };
}

function servedAs({ names, scope, versions }: Resource, apiVersion: string): readonly KindResource[] {
  return versions
    .filter((version) => apiVersionOf(version) === apiVersion)
    .map(({ group, version }) => ({ group, version, resource: names.plural, isNamespaced: scope === 'Namespaced' }));
}

function customResource(spec: JsonObject | undefined, apiVersion: string, kind: string): readonly KindResource[] {
  const [group, names] = [textIn(spec, 'group'), objectIn(spec, 'names')];
  if (textIn(names, 'kind') !== kind) return [];
  return objectsIn(spec, 'versions')
    .filter(({ name, served }) => served === true && `${group}/${name}` === apiVersion)
    .map((version) => ({
      group,
      version: textIn(version, 'name'),
      resource: textIn(names, 'plural'),
      isNamespaced: spec?.scope === 'Namespaced',
    }));
}
