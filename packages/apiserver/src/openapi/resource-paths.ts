import type { GroupVersionKind } from '@tsukube/machinery';
import type { ApiResource, ApiSubresource, ApiVersion } from '../discovery/api-group.ts';
import {
  connectDrafts,
  createDraft,
  type Draft,
  deleteCollectionDraft,
  listDraft,
  objectDrafts,
  served,
  watchDraft,
} from './draft.ts';
import {
  anyMedia,
  type Method,
  type Operation,
  type OperationScope,
  objectMedia,
  operationScope,
  type Path,
  upperFirst,
} from './operation.ts';
import { nameOf, namespace, type Parameter, pretty, subpath } from './parameter.ts';

/** A path with the parameters that are part of it. */
interface Place {
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

type Make = (place: Place, gvk: GroupVersionKind, drafts: readonly Draft[]) => Path;

/** All paths of a resource in one version, its subresources and its old watch paths included. */
export function resourcePaths({ group, version, groupVersion }: ApiVersion, resource: ApiResource): readonly Path[] {
  const root = `/${group === '' ? 'api' : 'apis'}/${groupVersion}`;
  const scope = operationScope(group, version);
  const make: Make = (place, gvk, drafts) => ({
    path: place.path,
    operations: drafts.map((draft) => complete(draft, scope, place, gvk)),
  });
  const paths = [
    ...objectPaths(root, resource, make),
    ...resource.subresources.flatMap((subresource) => subresourcePaths(root, resource, subresource, make)),
    ...watchPaths(root, resource, make),
  ];
  return paths.filter(({ operations }) => operations.length > 0);
}

function complete(draft: Draft, scope: OperationScope, place: Place, gvk: GroupVersionKind): Operation {
  const { id, parameters = [], consumes = anyMedia, produces = objectMedia, ...rest } = draft;
  const common = draft.action === 'connect' ? [] : [pretty];
  return {
    ...rest,
    id: `${id[0]}${scope.infix}${id[1]}`,
    tag: scope.tag,
    gvk,
    parameters: [...parameters, ...place.parameters, ...common],
    consumes,
    produces,
  };
}

const isNamespaced = ({ resource }: ApiResource) => resource.scope === 'Namespaced';
const scoped = (resource: ApiResource) => `${isNamespaced(resource) ? 'Namespaced' : ''}${resource.kind.kind}`;

/** Where all objects of a resource are, those that can be named together, and one. */
function placesOf(root: string, resource: ApiResource, kind: string): { everywhere: Place; collection: Place; item: Place } {
  const everywhere = { path: `${root}/${resource.name}`, parameters: [] };
  const collection = isNamespaced(resource)
    ? { path: `${root}/namespaces/{namespace}/${resource.name}`, parameters: [namespace] }
    : everywhere;
  const item = { path: `${collection.path}/{name}`, parameters: [nameOf(kind), ...collection.parameters] };
  return { everywhere, collection, item };
}

function objectPaths(root: string, resource: ApiResource, make: Make): readonly Path[] {
  const { kind, verbs, served: version } = resource;
  const { everywhere, collection, item } = placesOf(root, resource, kind.kind);
  const inCollection = served(verbs, {
    list: listDraft(resource, scoped(resource)),
    create: createDraft(scoped(resource), '', kind.kind, version.schema.type),
    deletecollection: deleteCollectionDraft(kind.kind, scoped(resource)),
  });
  const paths = [
    make(collection, kind, inCollection),
    make(item, kind, objectDrafts(verbs, scoped(resource), '', kind.kind, version.schema.type)),
  ];
  if (!isNamespaced(resource)) return paths;
  return [...paths, make(everywhere, kind, served(verbs, { list: listDraft(resource, `${kind.kind}ForAllNamespaces`) }))];
}

function subresourcePaths(root: string, resource: ApiResource, subresource: ApiSubresource, make: Make): readonly Path[] {
  const { name, kind, verbs, subresource: definition } = subresource;
  const { item } = placesOf(root, resource, kind.kind);
  const place = { ...item, path: `${item.path}/${name}` };
  if (definition.verbs.connect) return connectPaths(place, resource, subresource, make);
  const owner = resource.kind.kind;
  const rest = operationRest(resource, subresource);
  const type = typeOfSubresource(resource, kind);
  const create = served(verbs, { create: createDraft(rest, name, owner, type) });
  return [make(place, kind, [...create, ...objectDrafts(verbs, rest, name, owner, type)])];
}

const operationRest = (resource: ApiResource, { name }: ApiSubresource) => `${scoped(resource)}${upperFirst(name)}`;

function connectPaths(place: Place, resource: ApiResource, subresource: ApiSubresource, make: Make): readonly Path[] {
  const { name, kind, subresource: definition } = subresource;
  const methods = (definition.connectMethods ?? []) as readonly Method[];
  const rest = operationRest(resource, subresource);
  const connect = (at: Place, id: string) => make(at, kind, connectDrafts(methods, id, name, resource.kind.kind));
  // What is proxied may have a path of its own at the other end.
  const below = { path: `${place.path}/{path}`, parameters: [...place.parameters, subpath] };
  return name === 'proxy' ? [connect(place, rest), connect(below, `${rest}WithPath`)] : [connect(place, rest)];
}

/** A subresource with a kind of its own has it in the group of that kind: Scale is io.k8s.api.autoscaling.v1.Scale. */
function typeOfSubresource(
  { served: version, kind: own }: ApiResource,
  { group, version: kindVersion, kind }: GroupVersionKind,
): string {
  const { type } = version.schema;
  if (kind === own.kind) return type;
  if (group === own.group) return `${type.slice(0, type.lastIndexOf('.'))}.${kind}`;
  return `io.k8s.api.${group.split('.')[0]}.${kindVersion}.${kind}`;
}

function watchPaths(root: string, resource: ApiResource, make: Make): readonly Path[] {
  if (!resource.verbs.includes('watch')) return [];
  const { kind } = resource;
  const { everywhere, collection, item } = placesOf(`${root}/watch`, resource, kind.kind);
  const list = `${kind.kind}List`;
  const watchList = (place: Place, rest: string) => make(place, kind, [watchDraft('watchlist', rest, kind.kind)]);
  const paths = [
    watchList(collection, `${scoped(resource)}List`),
    make(item, kind, [watchDraft('watch', scoped(resource), kind.kind)]),
  ];
  return isNamespaced(resource) ? [...paths, watchList(everywhere, `${list}ForAllNamespaces`)] : paths;
}
