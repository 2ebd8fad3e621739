import { randomUUID } from 'node:crypto';
import type { Exchange } from '@tsukube/transport';
import type { FlowHeaders } from '../flowcontrol/flow.ts';
import type { RequestInfo } from '../routing/request-info.ts';
import type { ApiRequest, AuditNotes, User } from './request.ts';
import { Warnings } from './warnings.ts';

const noQuery = new URLSearchParams();
export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
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

/** Clients may choose the id, and it is sent back to them and written down: not at any length. */
const maxAuditIdLength = 1024;

/** The request as it enters the filters. What costs something is made when first asked for. */
export class IncomingRequest implements ApiRequest {
  readonly exchange: Exchange;
  readonly method: string;
  readonly path: string;
  readonly received: number;
  info: RequestInfo = unknownInfo;
  user: User = anonymous;
  impersonation: ApiRequest['impersonation'];
  isOver = false;
  annotations: Map<string, string> | undefined;
  notes?: AuditNotes;
  arrival?: ApiRequest['arrival'];
  bodyBytes?: number;
  onResume?: (request: ApiRequest) => void;
  onCaughtUp?: () => void;
  /** Called once when the request is cancelled. */
  onCancel?: () => void;
  /** Which rules of flow control the request was treated by. */
  flow?: FlowHeaders;
  /** How long it may take, where the client or the server limits it. */
  timeoutMs?: number;
  #query: URLSearchParams | undefined;
  #abort: AbortController | undefined;
  #warnings: Warnings | undefined;
  #auditId: string | undefined;

  /** Fails with URIError on a path that is not properly encoded. */
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
      if (this.isOver) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  /** Ends what the request is still waiting for, and keeps what it has not written yet from being written. */
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

  /** The texts of the warnings, as far as they are kept. */
  get warningTexts(): readonly string[] {
    return this.#warnings?.texts ?? [];
  }

  get warnings(): readonly string[] {
    return this.#warnings?.headers ?? [];
  }
}
