import { isObject, type JsonObject, type JsonValue, objectIn, objectsIn, textIn, textsIn } from '@tsukube/machinery';

/** Resources of each group version in an APIGroupDiscoveryList, in its form; GROUP/VERSION are the keys. */
export function resourcesInList(document: JsonValue): ReadonlyMap<string, readonly JsonObject[]> {
  const found = new Map<string, readonly JsonObject[]>();
  for (const group of isObject(document) ? objectsIn(document, 'items') : [])
    for (const version of objectsIn(group, 'versions'))
      found.set(
        `${textIn(objectIn(group, 'metadata'), 'name')}/${textIn(version, 'version')}`,
        objectsIn(version, 'resources').map(describedResource),
      );
  return found;
}

/** Only the fields of Kubernetes, each of its type: the document is of another server. */
function describedResource(resource: JsonObject): JsonObject {
  const subresources = objectsIn(resource, 'subresources').map((subresource) => ({
    subresource: textIn(subresource, 'subresource'),
    responseKind: kindOf(objectIn(subresource, 'responseKind')),
    verbs: [...textsIn(subresource, 'verbs')],
  }));
  return {
    resource: textIn(resource, 'resource'),
    responseKind: kindOf(objectIn(resource, 'responseKind')),
    scope: textIn(resource, 'scope'),
    singularResource: textIn(resource, 'singularResource'),
    verbs: [...textsIn(resource, 'verbs')],
    ...optional(resource, 'shortNames'),
    ...optional(resource, 'categories'),
    ...(subresources.length > 0 && { subresources }),
  };
}

function kindOf(object: JsonObject | undefined): JsonObject {
  return { group: textIn(object, 'group'), version: textIn(object, 'version'), kind: textIn(object, 'kind') };
}

function optional(object: JsonObject, name: string): JsonObject {
  const texts = textsIn(object, name);
  return texts.length > 0 ? { [name]: [...texts] } : {};
}

/** Resources of an APIResourceList in the form of aggregated discovery. */
export function resourcesInLegacyList(document: JsonValue): readonly JsonObject[] {
  const found = new Map<string, JsonObject & { subresources?: JsonObject[] }>();
  for (const resource of isObject(document) ? objectsIn(document, 'resources') : []) {
    const [name = '', ...rest] = textIn(resource, 'name').split('/');
    const scope = resource.namespaced === true ? 'Namespaced' : 'Cluster';
    const parent = found.get(name) ?? { resource: name, scope };
    found.set(name, parent);
    const described = { responseKind: kindOf(resource), verbs: [...textsIn(resource, 'verbs')] };
    if (rest.length > 0) parent.subresources = [...(parent.subresources ?? []), { subresource: rest.join('/'), ...described }];
    else Object.assign(parent, described, { singularResource: textIn(resource, 'singularName') }, listsOf(resource));
  }
  return [...found.values()].map(describedResource);
}

function listsOf(resource: JsonObject): JsonObject {
  return { ...optional(resource, 'shortNames'), ...optional(resource, 'categories') };
}
