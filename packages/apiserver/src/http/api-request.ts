import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { JsonObject, TypeCatalogue } from '@tsukube/machinery';
import type { Exchange } from '@tsukube/transport';
import type { RequestInfo } from './request-info.ts';
import { Warnings } from './warnings.ts';

/** The authenticated user of a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const anonymousUser: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** A request on its way through the filters. */
export interface ApiRequest {
  readonly exchange: Exchange;
  readonly method: string;
  /** Decoded path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** When the request arrived, in milliseconds since the epoch. */
  readonly received: number;
  info: RequestInfo;
  user: User;
  /** The impersonating user, and the constrained impersonation verb that allowed it, if any. */
  impersonation: { readonly impersonator: User; readonly constraint: string } | undefined;
  /** Aborts at the deadline, or when the client goes away. */
  readonly signal: AbortSignal;
  /** Whether the deadline has passed or the client is gone. */
  readonly isOver: boolean;
  /** Adds an annotation to the audit event, unless the key is set. Does nothing if the request is not audited. */
  annotate(key: string, value: string): void;
  /** Audit annotations; set by the audit filter. */
  annotations: Map<string, string> | undefined;
  /** Set if the request is audited. */
  notes?: AuditNotes;
  /** Observes the wait for the body; set by flow control. Resolves to the body. */
  arrival?: <T>(arriving: Promise<T>) => Promise<T>;
  /** Length of the body, once it has arrived. */
  bodyBytes?: number;
  /** Called when synchronous work for the request resumes after a wait. */
  onResume?: (request: ApiRequest) => void;
  /** Called when a watch has sent its initial events. */
  onCaughtUp?: () => void;
  /** Called when the request is proxied: from then on it only waits for the other server. */
  onDelegated?: () => void;
  warn(text: string): void;
  /** Values of the Warning header. */
  readonly warnings: readonly string[];
}

/** Records the body of a request for its audit event, at the level of the policy rule. */
export interface AuditNotes {
  /** The decoded object. It is serialized during the call and not retained. */
  requestObject(object: JsonObject, schema?: TypeReference): void;
  requestPatch(patch: Buffer): void;
  readonly rule: NoteRule;
  /** Copies the notes of a request that ran in a worker thread. */
  adopt(noted: NotedRequest): void;
}

/** The type of an object, by its name in a catalogue. `form` is set for custom objects, which have a schema instead. */
export interface TypeReference {
  readonly catalogue: TypeCatalogue;
  readonly type: string;
  readonly form?: unknown;
}

export interface NoteRule {
  readonly level: 'None' | 'Metadata' | 'Request' | 'RequestResponse';
  readonly omitManagedFields: boolean;
}

export interface NotedRequest {
  /** The metadata that names the object. */
  readonly subject: JsonObject | undefined;
  readonly json: string | undefined;
}

/** Response headers that name the flow schema and priority level of a request. */
export interface FlowHeaders {
  readonly 'x-kubernetes-pf-flowschema-uid': string;
  readonly 'x-kubernetes-pf-prioritylevel-uid': string;
}

const noQuery = new URLSearchParams();
const unknownInfo: RequestInfo = {
  isResource: false,
  verbInPath: false,
  verb: '',
  prefix: '',
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  parts: [],
};

/** Audit-ID may be chosen by the client, and is echoed and logged. */
const maxAuditIdLength = 1024;

/** The request as it enters the filters. Query, signal, warnings and audit ID are created on first use. */
export class IncomingRequest implements ApiRequest {
  readonly exchange: Exchange;
  readonly method: string;
  readonly path: string;
  readonly received: number;
  info: RequestInfo = unknownInfo;
  user: User = anonymousUser;
  impersonation: ApiRequest['impersonation'];
  isOver = false;
  annotations: Map<string, string> | undefined;
  notes?: AuditNotes;
  arrival?: ApiRequest['arrival'];
  bodyBytes?: number;
  onResume?: (request: ApiRequest) => void;
  onCaughtUp?: () => void;
  onDelegated?: () => void;
  /** Called once when the request is cancelled. */
  onCancel?: () => void;
  /** Set by flow control. */
  flow?: FlowHeaders;
  /** The request's time limit, set by the deadline filter. */
  timeoutMs?: number;
  #query: URLSearchParams | undefined;
  #abort: AbortController | undefined;
  #warnings: Warnings | undefined;
  #auditId: string | undefined;

  /** Throws URIError if the path is not properly percent-encoded. */
  constructor(exchange: Exchange, now: number) {
    this.exchange = exchange;
    exchange.request = this;
    this.method = exchange.method;
    this.received = now;
    const { url } = exchange;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    this.path = path.includes('%') ? decodeURIComponent(path) : path;
  }

  get query(): URLSearchParams {
    if (this.#query) return this.#query;
    const mark = this.exchange.url.indexOf('?');
    this.#query = mark < 0 ? noQuery : new URLSearchParams(this.exchange.url.slice(mark + 1));
    return this.#query;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      // A request may call more webhooks at a time than the ten listeners above which Node warns of a leak.
      setMaxListeners(0, this.#abort.signal);
      if (this.isOver) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  /** Aborts pending waits and prevents writes that have not reached the store. */
  cancel(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#abort?.abort();
    this.onCancel?.();
  }

  get auditId(): string {
    this.#auditId ??= this.exchange.header('audit-id')?.slice(0, maxAuditIdLength) || randomUUID();
    return this.#auditId;
  }

  annotate(key: string, value: string): void {
    if (this.annotations?.has(key) === false) this.annotations.set(key, value);
  }

  warn(text: string): void {
    this.#warnings ??= new Warnings();
    this.#warnings.add(text);
  }

  /** The texts of the warnings, within the size limit. */
  get warningTexts(): readonly string[] {
    return this.#warnings?.texts ?? [];
  }

  get warnings(): readonly string[] {
    return this.#warnings?.headers ?? [];
  }
}
