import type { JsonObject } from '@tsukube/machinery';
import type { Exchange, RequestMemory } from '@tsukube/transport';
import type { HeavyRequests } from '../offload/heavy-requests.ts';
import type { ObjectRegistry } from '../registry/object-registry.ts';
import type { Resource, Schema, ServedVersion, Subresource } from '../registry/resource.ts';
import type { RequestInfo } from '../routing/request-info.ts';

/** Who sends a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Takes down what a request carries, as far as its audit event is to tell. */
export interface AuditNotes {
  /** The object in the body, as it was understood; nothing of it is kept but what is said at this moment. */
  requestObject(object: JsonObject, schema?: Schema): void;
  requestPatch(patch: Buffer): void;
  readonly rule: NoteRule;
  /** Takes over what was noted on another thread. */
  adopt(noted: NotedRequest): void;
}

/** How much is taken down of a request. */
export interface NoteRule {
  readonly level: 'None' | 'Metadata' | 'Request' | 'RequestResponse';
  readonly omitManagedFields: boolean;
}

export interface NotedRequest {
  /** Metadata that names the object. */
  readonly subject: JsonObject | undefined;
  readonly json: string | undefined;
}

/** A request on its way through the filters. */
export interface ApiRequest {
  readonly exchange: Exchange;
  readonly method: string;
  /** Decoded path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly received: number;
  info: RequestInfo;
  user: User;
  /** Who really sends a request that is made as somebody else, and the verb that allowed it, if it was a narrow one. */
  impersonation: { readonly impersonator: User; readonly constraint: string } | undefined;
  /** Aborts at the deadline, or when the client goes away. */
  readonly signal: AbortSignal;
  /** Whether the deadline has passed or the client is gone. */
  readonly isOver: boolean;
  /** Said of the request in its audit event; the first value of a key stays. Does nothing if there will be no event. */
  annotate(key: string, value: string): void;
  /** Given to a request by whoever audits it. */
  annotations: Map<string, string> | undefined;
  /** There if the request is audited. */
  notes?: AuditNotes;
  /** Set by whoever wants to know that the server waits for the client. Gives what arrives. */
  arrival?: <T>(arriving: Promise<T>) => Promise<T>;
  /** Length of the body, once it has arrived. */
  bodyBytes?: number;
  /** Called when synchronous work for the request begins anew after it has waited. */
  onResume?: (request: ApiRequest) => void;
  /** Set for a watch by whoever wants to know when it has sent what was there when it began. */
  onCaughtUp?: () => void;
  warn(text: string): void;
  /** Values of the Warning header. */
  readonly warnings: readonly string[];
}

/** Tells long requests that the server is about to stop. */
export interface ShutdownNotice {
  /** Calls back when it begins, at once if it has. The returned function takes the wish back. */
  onBegin(listener: () => void): () => void;
}

/** A request that has found its resource. */
export interface ResourceRequest extends ApiRequest {
  readonly resource: Resource;
  readonly version: ServedVersion;
  readonly subresource: Subresource | undefined;
  readonly objects: ObjectRegistry;
  /** The objects of another resource, where what is done here touches them; undefined if it is not served. */
  readonly objectsOf: (group: string, resource: string) => ObjectRegistry | undefined;
  readonly shutdown: ShutdownNotice;
  /** Takes requests that would hold the event loop for long. Absent where all are served on this thread. */
  readonly heavy: HeavyRequests | undefined;
  /** The body, once it is read, where the request may still be served elsewhere. */
  receivedBody?: Buffer;
  /** Room for bodies that are being read or processed; unlimited if absent. */
  readonly memory: RequestMemory | undefined;
  /** A watch that sets no limit lasts at least so long, at most twice. */
  readonly minWatchSeconds: number;
}

/** What has to be known to represent objects. */
export type Represented = Pick<ResourceRequest, 'resource' | 'version' | 'query' | 'exchange' | 'objects'>;
