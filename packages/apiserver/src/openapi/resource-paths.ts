import type { GroupVersionKind } from '@tsukube/machinery';
import type { ApiResource, ApiSubresource, ApiVersion } from '../discovery/api-group.ts';
import {
  anyMedia,
  type Method,
  type OpenApiOperation,
  type OperationScope,
  objectMedia,
  operationScope,
  type Path,
  upperFirst,
} from './operation.ts';
import { nameOf, namespaceParameter, type Parameter, pretty, subpath } from './parameter.ts';
import {
  connectOperations,
  createOperation,
  deleteCollectionOperation,
  listOperation,
  objectOperations,
  served,
  type VerbOperation,
  watchOperation,
} from './verb-operations.ts';

/** A path with its path parameters. */
interface Place {
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

type Make = (place: Place, gvk: GroupVersionKind, operations: readonly VerbOperation[]) => Path;

/** All paths of a resource version, with subresources and deprecated watch paths. */
export function resourcePaths({ group, version, groupVersion }: ApiVersion, resource: ApiResource): readonly Path[] {
  const root = `/${group === '' ? 'api' : 'apis'}/${groupVersion}`;
  const scope = operationScope(group, version);
  const make: Make = (place, gvk, operations) => ({
    path: place.path,
    operations: operations.map((operation) => complete(operation, scope, place, gvk)),
  });
  const paths = [
    ...objectPaths(root, resource, make),
    ...resource.subresources.flatMap((subresource) => subresourcePaths(root, resource, subresource, make)),
    ...watchPaths(root, resource, make),
  ];
  return paths.filter(({ operations }) => operations.length > 0);
}

function complete(operation: VerbOperation, scope: OperationScope, place: Place, gvk: GroupVersionKind): OpenApiOperation {
  const { id, parameters = [], consumes = anyMedia, produces = objectMedia, ...rest } = operation;
  const common = operation.action === 'connect' ? [] : [pretty];
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

/** Paths of all objects, of a namespace's objects and of one object. */
function placesOf(root: string, resource: ApiResource, kind: string): { everywhere: Place; collection: Place; item: Place } {
  const everywhere = { path: `${root}/${resource.name}`, parameters: [] };
  const collection = isNamespaced(resource)
    ? { path: `${root}/namespaces/{namespace}/${resource.name}`, parameters: [namespaceParameter] }
    : everywhere;
  const item = { path: `${collection.path}/{name}`, parameters: [nameOf(kind), ...collection.parameters] };
  return { everywhere, collection, item };
}

function objectPaths(root: string, resource: ApiResource, make: Make): readonly Path[] {
  const { kind, verbs, served: version } = resource;
  const { everywhere, collection, item } = placesOf(root, resource, kind.kind);
  const inCollection = served(verbs, {
    list: listOperation(resource, scoped(resource)),
    create: createOperation(scoped(resource), '', kind.kind, version.schema.type),
    deletecollection: deleteCollectionOperation(kind.kind, scoped(resource)),
  });
  const paths = [
    make(collection, kind, inCollection),
    make(item, kind, objectOperations(verbs, scoped(resource), '', kind.kind, version.schema.type)),
  ];
  if (!isNamespaced(resource)) return paths;
  return [...paths, make(everywhere, kind, served(verbs, { list: listOperation(resource, `${kind.kind}ForAllNamespaces`) }))];
}

function subresourcePaths(root: string, resource: ApiResource, subresource: ApiSubresource, make: Make): readonly Path[] {
  const { name, kind, verbs, subresource: definition } = subresource;
  const { item } = placesOf(root, resource, kind.kind);
  const place = { ...item, path: `${item.path}/${name}` };
  if (definition.verbs.connect) return connectPaths(place, resource, subresource, make);
  const owner = resource.kind.kind;
  const rest = operationRest(resource, subresource);
  const type = typeOfSubresource(resource, kind);
  const create = served(verbs, { create: createOperation(rest, name, owner, type) });
  return [make(place, kind, [...create, ...objectOperations(verbs, rest, name, owner, type)])];
}

const operationRest = (resource: ApiResource, { name }: ApiSubresource) => `${scoped(resource)}${upperFirst(name)}`;

function connectPaths(place: Place, resource: ApiResource, subresource: ApiSubresource, make: Make): readonly Path[] {
  const { name, kind, subresource: definition } = subresource;
  const methods = (definition.connectMethods ?? []) as readonly Method[];
  const rest = operationRest(resource, subresource);
  const connect = (at: Place, id: string) => make(at, kind, connectOperations(methods, id, name, resource.kind.kind));
  // A proxied path may continue.
  const below = { path: `${place.path}/{path}`, parameters: [...place.parameters, subpath] };
  return name === 'proxy' ? [connect(place, rest), connect(below, `${rest}WithPath`)] : [connect(place, rest)];
}

/** A subresource of another kind has that kind's type: Scale is io.k8s.api.autoscaling.v1.Scale. */
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
  const watchList = (place: Place, rest: string) => make(place, kind, [watchOperation('watchlist', rest, kind.kind)]);
  const paths = [
    watchList(collection, `${scoped(resource)}List`),
    make(item, kind, [watchOperation('watch', scoped(resource), kind.kind)]),
  ];
  return isNamespaced(resource) ? [...paths, watchList(everywhere, `${list}ForAllNamespaces`)] : paths;
}
