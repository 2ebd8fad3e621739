import type { AdmitBytes } from '../http/body.ts';
import type { Cancellable, ClientConnection, Exchange, HeaderRedaction, UpgradedConnection } from '../http/exchange.ts';
import { bothRedactions, visitHeaders } from '../http/redaction.ts';
import type { Http1RequestBody } from './request-body.ts';
import type { HeaderBlock, RequestHead } from './request-head.ts';

/** What an exchange asks of the connection it came over. */
export interface ExchangeHost {
  readonly peer: ClientConnection;
  /** Tells a client that waits for it to go on with its body, and takes from the network what was left there. */
  wantBody(exchange: Http1Exchange): void;
  takeOver(exchange: Http1Exchange): UpgradedConnection;
  abort(exchange: Http1Exchange): void;
}

const nothing = Promise.resolve(Buffer.alloc(0));

/** A request that came over HTTP/1.1. */
export class Http1Exchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly protocol = 'HTTP/1.1';
  readonly block: HeaderBlock;
  /** Undefined if the request has none. */
  readonly requestBody: Http1RequestBody | undefined;
  /** Whether the answer has begun. */
  isAnswered = false;
  /** Whether the last of the answer has been given to the network. */
  isWritten = false;
  /** Whether the client has been told to send its body. */
  isContinued = false;
  /** Whether nothing more is sent or received. */
  isOver = false;
  request: Cancellable | undefined;
  protected readonly host: ExchangeHost;
  #onClose: (() => void)[] | undefined;
  #redaction: HeaderRedaction | undefined;

  constructor(host: ExchangeHost, { method, target, block }: RequestHead, body: Http1RequestBody | undefined) {
    this.host = host;
    this.method = method;
    this.url = target;
    this.block = block;
    this.requestBody = body;
  }

  get upgrade(): boolean {
    return false;
  }

  get connection(): ClientConnection {
    return this.host.peer;
  }

  header(name: string): string | undefined {
    return this.block.values.get(name);
  }

  eachHeader(visit: (name: string, value: string) => void): void {
    visitHeaders(this.block.raw, this.#redaction, visit);
  }

  redact(redaction: HeaderRedaction): void {
    this.#redaction = bothRedactions(this.#redaction, redaction);
  }

  body(limit: number, admit?: AdmitBytes): Promise<Buffer> {
    if (!this.requestBody) return nothing;
    const body = this.requestBody.read(limit, admit);
    if (this.requestBody.isAwaited) this.host.wantBody(this);
    return body;
  }

  onClose(listener: () => void): void {
    if (this.isOver) return void listener();
    this.#onClose ??= [];
    this.#onClose.push(listener);
  }

  abort(): void {
    this.host.abort(this);
  }

  /** Whether somebody wants to know when the answer has been taken. */
  get isAwaited(): boolean {
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

/** A request whose client offers to speak something else. */
export class UpgradeExchange extends Http1Exchange {
  override get upgrade(): boolean {
    return this.header('upgrade')?.toLowerCase() === 'websocket';
  }

  takeOver(): UpgradedConnection {
    return this.host.takeOver(this);
  }
}
