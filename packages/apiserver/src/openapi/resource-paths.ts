import type { GroupVersionKind } from '@tsukube/machinery';
import type { ApiResource, ApiSubresource, ApiVersion } from '../discovery/api-group.ts';
import { deleteOptionsType, patchType, statusType, watchEventType } from './meta-types.ts';
import {
  anyMedia,
  type Body,
  type Method,
  type Operation,
  objectMedia,
  type Path,
  patchMedia,
  type Response,
  watchMedia,
} from './operation.ts';
import { type OperationScope, operationScope } from './operation-name.ts';
import {
  deleting,
  deletingMany,
  listing,
  nameOf,
  namespace,
  type Parameter,
  patching,
  pretty,
  subpath,
  writing,
} from './parameter.ts';
import { upperFirst } from './upper-first.ts';

/** How many objects a path is about: all of a kind, those of a namespace, or one. */
interface Place {
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

interface Draft {
  readonly method: Method;
  /** listNamespacedLease: the verb, and what comes after the group and version. */
  readonly id: readonly [verb: string, rest: string];
  readonly description: string;
  readonly action: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly responses: readonly Response[];
}

/** All paths of a resource in one version, its subresources and its old watch paths included. */
export function resourcePaths({ group, version, groupVersion }: ApiVersion, resource: ApiResource): readonly Path[] {
  const root = `/${group === '' ? 'api' : 'apis'}/${groupVersion}`;
  const places = placesOf(root, resource);
  const scope = operationScope(group, version);
  const make = (place: Place, gvk: GroupVersionKind, drafts: readonly Draft[]): Path => ({
    path: place.path,
    operations: drafts.map((draft) => complete(draft, scope, place, gvk)),
  });
  const { kind } = resource;
  const paths = [
    make(places.collection, kind, collectionDrafts(resource)),
    make(places.item, kind, itemDrafts(resource)),
    ...(places.everywhere ? [make(places.everywhere, kind, everywhereDrafts(resource))] : []),
    ...resource.subresources.flatMap((subresource) => subresourcePaths(resource, subresource, places.item, make)),
    ...watchPaths(root, resource, make),
  ];
  return paths.filter(({ operations }) => operations.length > 0);
}

const isNamespaced = ({ resource }: ApiResource) => resource.scope === 'Namespaced';
const scoped = (resource: ApiResource) => `${isNamespaced(resource) ? 'Namespaced' : ''}${resource.kind.kind}`;

function placesOf(root: string, resource: ApiResource): { collection: Place; item: Place; everywhere?: Place } {
  const everywhere = { path: `${root}/${resource.name}`, parameters: [] };
  const collection = isNamespaced(resource)
    ? { path: `${root}/namespaces/{namespace}/${resource.name}`, parameters: [namespace] }
    : everywhere;
  const item = { path: `${collection.path}/{name}`, parameters: [nameOf(resource.kind.kind), ...collection.parameters] };
  return isNamespaced(resource) ? { collection, item, everywhere } : { collection, item };
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

/** The drafts whose verb is served. */
function served(verbs: readonly string[], drafts: Readonly<Record<string, Draft>>): readonly Draft[] {
  return Object.entries(drafts).flatMap(([verb, draft]) => (verbs.includes(verb) ? [draft] : []));
}

function listDraft({ kind: { kind }, served: { schema }, verbs }: ApiResource, rest: string): Draft {
  return {
    method: 'get',
    id: ['list', rest],
    description: `list ${verbs.includes('watch') ? 'or watch ' : ''}objects of kind ${kind}`,
    action: 'list',
    parameters: listing,
    produces: watchMedia,
    responses: [{ code: 200, type: schema.listType }],
  };
}

function collectionDrafts(resource: ApiResource): readonly Draft[] {
  const { kind, served: version } = resource;
  return served(resource.verbs, {
    list: listDraft(resource, scoped(resource)),
    create: createDraft(scoped(resource), `create${articleOf(kind.kind)}${kind.kind}`, version.schema.type),
    deletecollection: {
      method: 'delete',
      id: ['delete', `Collection${scoped(resource)}`],
      description: `delete collection of ${kind.kind}`,
      action: 'deletecollection',
      parameters: deletingMany,
      body: { type: deleteOptionsType, required: false },
      responses: [{ code: 200, type: statusType }],
    },
  });
}

function everywhereDrafts(resource: ApiResource): readonly Draft[] {
  return served(resource.verbs, { list: listDraft(resource, `${resource.kind.kind}ForAllNamespaces`) });
}

function itemDrafts(resource: ApiResource): readonly Draft[] {
  const { kind, served: version, verbs } = resource;
  return objectDrafts(verbs, scoped(resource), '', kind.kind, version.schema.type);
}

/** Of an object, or of a subresource: then `aspect` says of which. */
function objectDrafts(verbs: readonly string[], rest: string, aspect: string, kind: string, type: string): readonly Draft[] {
  const subject = aspect === '' ? `the specified ${kind}` : `${aspect} of the specified ${kind}`;
  const stored = [200, 201].map((code) => ({ code, type }));
  return served(verbs, {
    get: { method: 'get', id: ['read', rest], description: `read ${subject}`, action: 'get', responses: [{ code: 200, type }] },
    update: {
      method: 'put',
      id: ['replace', rest],
      description: `replace ${subject}`,
      action: 'put',
      parameters: writing,
      body: { type, required: true },
      responses: stored,
    },
    delete: {
      method: 'delete',
      id: ['delete', rest],
      description: `delete${aspect === '' ? '' : ` ${aspect} of`}${articleOf(kind)}${kind}`,
      action: 'delete',
      parameters: deleting,
      body: { type: deleteOptionsType, required: false },
      responses: [200, 202].map((code) => ({ code, type: statusType })),
    },
    patch: {
      method: 'patch',
      id: ['patch', rest],
      description: `partially update ${subject}`,
      action: 'patch',
      parameters: patching,
      body: { type: patchType, required: true },
      consumes: patchMedia,
      responses: stored,
    },
  });
}

function createDraft(rest: string, description: string, type: string): Draft {
  return {
    method: 'post',
    id: ['create', rest],
    description,
    action: 'post',
    parameters: writing,
    body: { type, required: true },
    responses: [200, 201, 202].map((code) => ({ code, type })),
  };
}

type Make = (place: Place, gvk: GroupVersionKind, drafts: readonly Draft[]) => Path;

function subresourcePaths(resource: ApiResource, subresource: ApiSubresource, item: Place, make: Make): readonly Path[] {
  const { name, kind, verbs, subresource: definition } = subresource;
  const [, ...around] = item.parameters;
  const place = { path: `${item.path}/${name}`, parameters: [nameOf(kind.kind), ...around] };
  const rest = `${scoped(resource)}${upperFirst(name)}`;
  if (definition.verbs.connect) {
    const methods = (definition.connectMethods ?? []) as readonly Method[];
    const below = { path: `${place.path}/{path}`, parameters: [...place.parameters, subpath] };
    const paths = [make(place, kind, connectDrafts(methods, rest, name, resource.kind.kind))];
    if (name === 'proxy') paths.push(make(below, kind, connectDrafts(methods, `${rest}WithPath`, name, resource.kind.kind)));
    return paths;
  }
  const type = typeOfSubresource(resource, kind);
  const create = createDraft(rest, `create ${name} of${articleOf(resource.kind.kind)}${resource.kind.kind}`, type);
  return [make(place, kind, [...served(verbs, { create }), ...objectDrafts(verbs, rest, name, resource.kind.kind, type)])];
}

function connectDrafts(methods: readonly Method[], rest: string, name: string, kind: string): readonly Draft[] {
  return methods.map((method) => ({
    method,
    id: ['connect', `${upperFirst(method)}${rest}`],
    description: `connect ${method.toUpperCase()} requests to ${name} of ${kind}`,
    action: 'connect',
    produces: anyMedia,
    responses: [{ code: 200 }],
  }));
}

/** A subresource with a kind of its own has it in the group of that kind: Scale is io.k8s.api.autoscaling.v1.Scale. */
function typeOfSubresource(
  { served: version, kind: own }: ApiResource,
  { group, version: kindVersion, kind }: GroupVersionKind,
): string {
  const { type } = version.schema;
  if (kind === own.kind) return type;
  if (group === own.group) return `${type.slice(0, type.lastIndexOf('.'))}.${kind}`;
  return `io.k8s.api.${group.replace(/\..*$/, '')}.${kindVersion}.${kind}`;
}

function watchPaths(root: string, resource: ApiResource, make: Make): readonly Path[] {
  if (!resource.verbs.includes('watch')) return [];
  const { kind } = resource;
  const { collection, item, everywhere } = placesOf(`${root}/watch`, resource);
  const list = `${kind.kind}List`;
  const watchList = (place: Place, rest: string) => make(place, kind, [watchDraft('watchlist', rest, kind.kind)]);
  return [
    watchList(collection, isNamespaced(resource) ? `Namespaced${list}` : list),
    make(item, kind, [watchDraft('watch', scoped(resource), kind.kind)]),
    ...(everywhere ? [watchList(everywhere, `${list}ForAllNamespaces`)] : []),
  ];
}

function watchDraft(action: 'watch' | 'watchlist', rest: string, kind: string): Draft {
  const instead = "deprecated: use the 'watch' parameter with a list operation instead";
  const description =
    action === 'watch'
      ? `watch changes to an object of kind ${kind}. ${instead}, filtered to a single item with the 'fieldSelector' parameter.`
      : `watch individual changes to a list of ${kind}. ${instead}.`;
  return {
    method: 'get',
    id: ['watch', rest],
    description,
    action,
    parameters: listing,
    produces: watchMedia,
    responses: [{ code: 200, type: watchEventType }],
  };
}

/** With the spaces around it: " a ", " an ", or one space before a plural. */
function articleOf(noun: string): string {
  if (noun.endsWith('s') && !noun.endsWith('ss')) return ' ';
  return /^[aeiou]/i.test(noun) ? ' an ' : ' a ';
}
