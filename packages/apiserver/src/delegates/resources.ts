import { StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import type { Delegate } from '../filters/filter.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import type { ObjectRegistry } from '../registry/object-registry.ts';
import {
  type Resource,
  removedRelease,
  type ServedVersion,
  type Subresource,
  type Verb,
  type VerbHandler,
  type Verbs,
} from '../registry/resource.ts';
import type { ResourceRequest } from '../registry/resource-request.ts';

/** The target of a request for a resource. */
export interface ResourceSubject {
  readonly resource: Resource;
  readonly version: ServedVersion;
  readonly subresource: Subresource | undefined;
  readonly objects: ObjectRegistry;
}

/** A resource or subresource in one version. */
interface Endpoint extends ResourceSubject {
  readonly verbs: Verbs;
}

/** Context shared by all requests. */
export type ServingContext = Pick<ResourceRequest, 'objectsOf' | 'shutdown' | 'minWatchSeconds' | 'heavy' | 'memory'>;

export interface ResourceDelegateOptions extends ServingContext {
  readonly resources: readonly Resource[];
  readonly registryOf: (resource: Resource) => ObjectRegistry;
}

/** Serves a fixed set of resources: routes requests to the verbs of their resource. */
export function resourceDelegate(options: ResourceDelegateOptions): Delegate {
  const endpoints = new Map<string, Endpoint>();
  const groupVersions = new Set<string>();
  for (const resource of options.resources) {
    for (const version of resource.versions) {
      groupVersions.add(`${version.group}/${version.version}`);
      addEndpoints(endpoints, resource, version, options.registryOf(resource));
    }
  }
  return function serveResource(request) {
    const { info } = request;
    if (!info.isResource || request.path.startsWith('//') || !groupVersions.has(`${info.group}/${info.version}`))
      return undefined;
    const endpoint = endpoints.get(endpointKey(info.group, info.version, info.resource, info.subresource));
    if (!endpoint || !inScope(request, endpoint) || info.verb === 'proxy') throw StatusError.pathNotFound();
    const handler = handlerFor(request, endpoint);
    if (!handler) throw isPath(request, endpoint) ? StatusError.methodNotAllowed() : StatusError.pathNotFound();
    if (endpoint.version.deprecationWarning) reportDeprecation(request, endpoint.version.deprecationWarning);
    return serveVerb(handler, asResourceRequest(request, endpoint, options));
  };
}

/** Answers unserved paths below `/api` and the groups of the resources with a 404 Status. */
export function unservedPaths(resources: readonly Resource[]): Delegate {
  const groups = new Set(resources.flatMap(({ versions }) => versions.map(({ group }) => group)));
  return function notServed({ path }) {
    const [, prefix, group] = path.split('/', 3);
    if (group === undefined || (prefix !== 'api' && (prefix !== 'apis' || group === '' || !groups.has(group)))) return undefined;
    throw StatusError.pathNotFound();
  };
}

/** Warns the client, and annotates the audit event. */
function reportDeprecation(request: IncomingRequest, warning: string): void {
  request.warn(warning);
  request.annotate('k8s.io/deprecated', 'true');
  const removed = removedRelease(warning);
  if (removed !== '') request.annotate('k8s.io/removed-release', removed);
}

function addEndpoints(
  endpoints: Map<string, Endpoint>,
  resource: Resource,
  version: ServedVersion,
  objects: ObjectRegistry,
): void {
  const { plural } = resource.names;
  endpoints.set(endpointKey(version.group, version.version, plural, ''), {
    resource,
    version,
    subresource: undefined,
    verbs: resource.verbs,
    objects,
  });
  for (const [name, subresource] of Object.entries(resource.subresources ?? {})) {
    endpoints.set(endpointKey(version.group, version.version, plural, name), {
      resource,
      version,
      subresource,
      verbs: subresource.verbs,
      objects,
    });
  }
}

function endpointKey(group: string, version: string, resource: string, subresource: string): string {
  return `${group}/${version}/${resource}/${subresource}`;
}

/** Whether the path fits the scope: namespaced objects are addressed in a namespace, others outside. */
function inScope({ info }: IncomingRequest, { resource, subresource }: Endpoint): boolean {
  if (info.parts.length > 3 && !subresource?.verbs.connect) return false;
  // RequestInfo has the name of a Namespace as its namespace too.
  if (resource.scope === 'Cluster')
    return info.namespace === '' || (resource.names.plural === 'namespaces' && info.namespace === info.name);
  return info.namespace !== '' || info.parts.length === 1;
}

/** Whether the path exists for any method. Virtual resources have no named objects, and may have no list. */
function isPath({ info }: IncomingRequest, { resource, verbs, subresource }: Endpoint): boolean {
  if (subresource) return true;
  if (info.parts.length > 1) return Boolean(verbs.get ?? verbs.update ?? verbs.patch ?? verbs.delete);
  return resource.scope === 'Cluster' || info.namespace !== '' || verbs.list !== undefined;
}

/** The handler of the verb, if it fits the path: verbs of collections and of named objects differ. */
function handlerFor(request: IncomingRequest, { resource, verbs, subresource }: Endpoint): VerbHandler | undefined {
  const { info } = request;
  const { verb } = info;
  if (info.verbInPath && request.method !== 'GET') return undefined;
  if (subresource?.connectMethods?.includes(request.method.toLowerCase())) return verbs.connect;
  if (request.method === 'HEAD') return undefined;
  const named = info.parts.length > 1;
  const readsCollection = verb === 'list' || verb === 'watch';
  if (resource.scope === 'Namespaced' && info.namespace === '') return readsCollection ? verbs[verb] : undefined;
  // The deprecated watch of a single object by its path.
  if (verb === 'watch') return verbs.watch;
  const onCollection = readsCollection || verb === 'deletecollection' || (verb === 'create' && !subresource);
  return named === onCollection ? undefined : verbs[verb as Verb];
}

export function asResourceRequest(
  request: IncomingRequest,
  { resource, version, subresource, objects }: ResourceSubject,
  { objectsOf, shutdown, minWatchSeconds, heavy, memory }: ServingContext,
): ResourceRequest {
  return Object.assign(request, {
    resource,
    version,
    subresource,
    objects,
    objectsOf,
    shutdown,
    minWatchSeconds,
    heavy,
    memory,
  });
}

const reads: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'connect', 'proxy']);

/** Runs the verb, on this thread or offloaded. */
export function serveVerb(handler: VerbHandler, request: ResourceRequest): Answer | Promise<Answer> {
  const { heavy, info, subresource } = request;
  const isWrite = !reads.has(info.verb) && handler !== subresource?.verbs.connect;
  return heavy && isWrite ? heavy.write(handler, request) : handler(request);
}
