import type { Effort } from '@tsukube/machinery';
import type { Answer, RequestMemory } from '@tsukube/transport';
import type { ApiRequest } from '../http/api-request.ts';
import type { Output } from '../http/negotiation.ts';
import type { CacheEntry } from '../watchcache/entry.ts';
import type { Derivation } from './derived.ts';
import type { ObjectRegistry } from './object-registry.ts';
import type { Resource, ServedVersion, Subresource, VerbHandler } from './resource.ts';

/** A request routed to a resource. */
export interface ResourceRequest extends ApiRequest {
  readonly resource: Resource;
  readonly version: ServedVersion;
  readonly subresource: Subresource | undefined;
  readonly objects: ObjectRegistry;
  /** The registry of another resource, for verbs that touch several; undefined if it is not served. */
  readonly objectsOf: (group: string, resource: string) => ObjectRegistry | undefined;
  readonly shutdown: ShutdownNotice;
  /** Absent where all requests are served on this thread. */
  readonly heavy: Offload | undefined;
  /** The body, if the request may still be offloaded after it was read. */
  receivedBody?: Buffer;
  /** Memory limit for bodies being read or processed; unlimited if absent. */
  readonly memory: RequestMemory | undefined;
  /** The timeout of a watch without timeoutSeconds is random between this and twice this. */
  readonly minWatchSeconds: number;
}

/** The parts of a request that encoding objects needs. */
export type Represented = Pick<ResourceRequest, 'resource' | 'version' | 'query' | 'exchange' | 'objects'>;

/** Notifies long-running requests of a shutdown. */
export interface ShutdownNotice {
  /** Calls back when the shutdown begins, at once if it has begun. The returned function unsubscribes. */
  onBegin(listener: () => void): () => void;
}

/** Moves work that would block the event loop to worker threads. */
export interface Offload {
  /** The validation work that a write of the resource may do on the event loop; undefined if no worker can serve it. */
  effortOf(resource: Resource): Effort | undefined;
  /** Serves a write, here or on a worker thread. */
  write(handler: VerbHandler, request: ResourceRequest): Answer | Promise<Answer>;
  /** Serves a read on a worker thread. */
  read(request: ResourceRequest): Promise<Answer>;
  isHeavyBody(body: Buffer, request: ResourceRequest): boolean;
  /** Whether encoding the object in another representation would block the event loop. */
  isHeavyObject(entry: CacheEntry, request: ResourceRequest): boolean;
  /** Makes a derivation on a worker thread, once for all concurrent callers. Never rejects: callers derive what is missing. */
  derive(request: ResourceRequest, entry: CacheEntry, what: Derivation): Promise<void>;
  /** Converts JSON to YAML or indented JSON. */
  convert(request: ResourceRequest, json: Buffer, output: Output): Promise<Uint8Array>;
}
