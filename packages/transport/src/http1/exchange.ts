import type { Readable } from 'node:stream';
import type { Answer } from '../http/answer.ts';
import type { AdmitBytes } from '../http/body.ts';
import type { Cancellable, ClientConnection, HeaderRedaction, ServedExchange, UpgradedConnection } from '../http/exchange.ts';
import { bothRedactions, visitHeaders } from '../http/redaction.ts';
import type { Http1RequestBody } from './request-body.ts';
import type { RequestHead, RequestHeaders } from './request-reader.ts';

/** The connection of an exchange. */
export interface ExchangeHost {
  readonly peer: ClientConnection;
  /** The handler reads the body: sends 100 Continue if the client waits for it, and resumes the socket. */
  readBody(exchange: Http1Exchange): void;
  takeOver(exchange: Http1Exchange): UpgradedConnection;
  abort(exchange: Http1Exchange): void;
  respond(exchange: Http1Exchange, answer: Answer, isLate: boolean): void;
}

const empty = Promise.resolve(Buffer.alloc(0));

/** A request over HTTP/1.1. */
export class Http1Exchange implements ServedExchange {
  readonly method: string;
  readonly url: string;
  readonly protocol = 'HTTP/1.1';
  readonly headers: RequestHeaders;
  /** Undefined if the request has none. */
  readonly requestBody: Http1RequestBody | undefined;
  /** Whether the answer has begun. */
  isAnswered = false;
  /** Whether all of the answer has been written to the socket. */
  isWritten = false;
  /** Whether 100 Continue has been sent. */
  isContinued = false;
  /** Whether nothing more is sent or received. */
  isOver = false;
  request: Cancellable | undefined;
  protected readonly host: ExchangeHost;
  #onClose: (() => void)[] | undefined;
  #redaction: HeaderRedaction | undefined;

  constructor(host: ExchangeHost, { method, target, headers }: RequestHead, body: Http1RequestBody | undefined) {
    this.host = host;
    this.method = method;
    this.url = target;
    this.headers = headers;
    this.requestBody = body;
  }

  get upgrade(): boolean {
    return false;
  }

  get connection(): ClientConnection {
    return this.host.peer;
  }

  header(name: string): string | undefined {
    return this.headers.values.get(name);
  }

  eachHeader(visit: (name: string, value: string) => void): void {
    visitHeaders(this.headers.raw, this.#redaction, visit);
  }

  redact(redaction: HeaderRedaction): void {
    this.#redaction = bothRedactions(this.#redaction, redaction);
  }

  body(limit: number, admit?: AdmitBytes): Promise<Buffer> {
    if (!this.requestBody) return empty;
    const body = this.requestBody.read(limit, admit);
    if (this.requestBody.isAwaited) this.host.readBody(this);
    return body;
  }

  bodyStream(): Readable | undefined {
    return this.requestBody?.stream(() => this.host.readBody(this));
  }

  onClose(listener: () => void): void {
    if (this.isOver) return void listener();
    this.#onClose ??= [];
    this.#onClose.push(listener);
  }

  abort(): void {
    this.host.abort(this);
  }

  respond(answer: Answer, isLate: boolean): void {
    this.host.respond(this, answer, isLate);
  }

  fail(): void {
    this.abort();
  }

  /** Whether a listener waits for the end of the exchange. */
  get hasCloseListeners(): boolean {
    return this.#onClose !== undefined;
  }

  /** Nothing more is sent or received. */
  end(isAborted: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    if (isAborted) this.request?.cancel();
    for (const listener of this.#onClose ?? []) listener();
    this.#onClose = undefined;
  }
}

/** A request whose client offers to switch protocols. */
export class UpgradeExchange extends Http1Exchange {
  override get upgrade(): boolean {
    return this.header('upgrade')?.toLowerCase() === 'websocket';
  }

  takeOver(): UpgradedConnection {
    return this.host.takeOver(this);
  }
}
