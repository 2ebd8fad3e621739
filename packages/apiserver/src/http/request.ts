import type { Duplex } from 'node:stream';
import type { JsonObject } from '@tsukube/machinery';
import type { HeavyRequests } from '../offload/heavy-requests.ts';
import type { ObjectRegistry } from '../registry/object-registry.ts';
import type { Resource, Schema, ServedVersion, Subresource } from '../registry/resource.ts';
import type { RequestInfo } from '../routing/request-info.ts';
import type { AdmitBytes } from './body.ts';
import type { RequestMemory } from './request-memory.ts';

/** Who sends a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the transport knows of a request, the same for HTTP/1.1, HTTP/2 and WebSocket. */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly protocol: 'HTTP/1.1' | 'HTTP/2.0';
  /** The name in lower case. Of a header that was sent several times the first value, as Go's Header.Get gives it. */
  header(name: string): string | undefined;
  /** Every header in the order sent, each time it was sent, names in lower case; without those that are concealed. */
  eachHeader(visit: (name: string, value: string) => void): void;
  /** Keeps headers that prove who somebody is from whoever goes through them later, such as proxies. */
  conceal(isConcealed: (name: string) => boolean): void;
  /** What belongs to the connection: its certificate, and room for what a filter learns of it once. */
  readonly connection: Connection;
  /**
   * The whole body. Fails with TooLarge beyond the limit, with NoRoomForBody if bytes of it are not admitted, with ClientGone if
   * it does not come to its end.
   */
  body(limit: number, admit?: AdmitBytes): Promise<Buffer>;
  /** Whether this is a WebSocket handshake. */
  readonly upgrade: boolean;
  /** For a request that asks to upgrade: gives the connection to a handler, which then answers `taken-over`. */
  takeOver?(): TakenConnection;
  /** Cancelled when the client goes away before the answer is complete. Set by whoever makes a request of the exchange. */
  request?: Cancellable | undefined;
  /** Called once when nothing more is sent or received, for whatever reason; at once if that is so already. */
  onClose(listener: () => void): void;
  /** Breaks the answer off. */
  abort(): void;
}

export interface Cancellable {
  cancel(): void;
}

/** A connection that is somebody else's business from now on. */
export interface TakenConnection {
  readonly socket: Duplex;
  /** What the client sent behind its request. */
  readonly head: Buffer;
}

export interface Connection {
  readonly remoteAddress: string;
  /** The certificates that the client presented, its own first, in DER form. */
  clientCertificates(): readonly Buffer[];
  /** Of HTTP/2: what is under way is finished, and then the connection ends. Of HTTP/1.1, which has one at a time: nothing. */
  takeNoMore(): void;
  /** Whether TLS could follow them to an authority that the server knew when the connection was made. */
  readonly hasTrustedCertificate: boolean;
  /** Whether what comes next goes before the requests of others: the last request was exempt from limits or system traffic, or there was none. */
  isUrgent: boolean;
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
