import { Readable } from 'node:stream';
import type { Answer, BytesAnswer, StreamAnswer } from '../http/answer.ts';
import type { AdmitBytes } from '../http/body.ts';
import { DirectBody } from '../http/direct-body.ts';
import type { Cancellable, ClientConnection, HeaderRedaction, ServedExchange } from '../http/exchange.ts';
import { bothRedactions, visitHeaders } from '../http/redaction.ts';
import { errorCode } from './protocol.ts';
import { Http2RequestBody } from './request-body.ts';
import type { RequestFields } from './request-fields.ts';
import {
  BytesBody,
  DirectResponseBody,
  Http2Sink,
  IterableBody,
  QueuedBody,
  ReadableBody,
  type ResponseBody,
} from './response-body.ts';

/** The connection of a stream. */
export interface StreamOwner {
  readonly connection: ClientConnection;
  /** Schedules the stream for sending. */
  send(exchange: Http2Exchange): void;
  /** Resets the stream. */
  reset(exchange: Http2Exchange, code: number): void;
  /** Bytes of the body have been consumed: credits them to the receive windows. */
  bodyConsumed(exchange: Http2Exchange, bytes: number): void;
  /** Sends 100 Continue. */
  sendContinue(exchange: Http2Exchange): void;
  /** Sends GOAWAY, finishes the open streams and closes. */
  close(): void;
}

/** An HTTP/2 stream: a request and its answer. */
export class Http2Exchange implements ServedExchange {
  readonly id: number;
  readonly fields: RequestFields;
  readonly protocol = 'HTTP/2.0';
  readonly upgrade = false;
  /** Undefined if the request has none. */
  readonly incoming: Http2RequestBody | undefined;
  /** Whether END_STREAM has arrived. */
  isRequestComplete: boolean;
  /** Bytes that may be sent; negative after the client has lowered its initial window. */
  sendWindow: number;
  /** Bytes that the client may send. */
  receiveWindow: number;
  /** Consumed bytes for which no WINDOW_UPDATE has been sent. */
  unsentCredit = 0;
  /** The header of the answer, until it is sent. */
  head: BytesAnswer | StreamAnswer | undefined;
  /** -1 if the length of the body is unknown. */
  contentLength = -1;
  outgoing: ResponseBody | undefined;
  /** Whether it is in the sender's queue. */
  isQueued = false;
  /** Whether the answer has been written. */
  isResponseSent = false;
  /** Nothing more is sent or received. */
  isClosed = false;
  request: Cancellable | undefined;
  #isAnswered = false;
  readonly #owner: StreamOwner;
  #onClose: (() => void)[] | undefined;
  #redaction: HeaderRedaction | undefined;

  constructor(
    owner: StreamOwner,
    id: number,
    fields: RequestFields,
    hasBody: boolean,
    sendWindow: number,
    receiveWindow: number,
  ) {
    this.#owner = owner;
    this.id = id;
    this.fields = fields;
    this.isRequestComplete = !hasBody;
    if (hasBody) this.incoming = new Http2RequestBody(fields.contentLength, (bytes) => owner.bodyConsumed(this, bytes));
    this.sendWindow = sendWindow;
    this.receiveWindow = receiveWindow;
  }

  get method(): string {
    return this.fields.method as string;
  }

  /** CONNECT has no path. */
  get url(): string {
    return this.fields.path ?? '/';
  }

  get connection(): ClientConnection {
    return this.#owner.connection;
  }

  header(name: string): string | undefined {
    if (name === 'host') return this.fields.authority ?? this.fields.value(name);
    return this.fields.value(name);
  }

  eachHeader(visit: (name: string, value: string) => void): void {
    visitHeaders(this.fields.lines, this.#redaction, visit);
  }

  redact(redaction: HeaderRedaction): void {
    this.#redaction = bothRedactions(this.#redaction, redaction);
  }

  body(limit: number, admit?: AdmitBytes): Promise<Buffer> {
    if (!this.incoming) return Promise.resolve(noBytes);
    const body = this.incoming.read(limit, admit);
    if (this.incoming.isUntouched && this.header('expect')?.toLowerCase() === '100-continue') this.#owner.sendContinue(this);
    return body;
  }

  bodyStream(): Readable | undefined {
    const stream = this.incoming?.stream();
    if (this.incoming?.isUntouched && this.header('expect')?.toLowerCase() === '100-continue') this.#owner.sendContinue(this);
    return stream;
  }

  onClose(listener: () => void): void {
    if (this.isClosed) listener();
    else if (this.#onClose) this.#onClose.push(listener);
    else this.#onClose = [listener];
  }

  abort(): void {
    this.#owner.reset(this, errorCode.cancel);
  }

  fail(): void {
    this.#owner.reset(this, errorCode.internal);
  }

  respond(answer: Answer): void {
    if (answer.kind === 'taken-over' || this.isClosed || this.#isAnswered) return;
    this.#isAnswered = true;
    this.head = answer;
    if (answer.kind === 'stream') this.#stream(answer);
    else {
      this.#send(answer);
      if (answer.closesConnection) this.#owner.close();
    }
  }

  #send(answer: BytesAnswer): void {
    const { body } = answer;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const isSized = bytes instanceof Uint8Array;
    if (isSized) this.contentLength = bytes.length;
    else if (answer.length !== undefined) this.contentLength = answer.length;
    if (this.method !== 'HEAD' && answer.status !== 304) {
      if (!isSized) this.outgoing = this.#unsizedBody(bytes);
      else if (bytes.length > 0) this.outgoing = new BytesBody(bytes);
    } else if (bytes instanceof Readable) bytes.destroy();
    this.#owner.send(this);
  }

  #unsizedBody(body: Iterable<Uint8Array> | Readable): ResponseBody {
    if (body instanceof DirectBody) return new DirectResponseBody(body);
    if (!(body instanceof Readable)) return new IterableBody(body);
    return new ReadableBody(
      body,
      () => this.#owner.send(this),
      () => this.fail(),
    );
  }

  #stream(answer: StreamAnswer): void {
    const body = new QueuedBody();
    this.outgoing = body;
    this.#owner.send(this);
    answer.start(new Http2Sink(this, body, () => this.#owner.send(this)));
  }

  /** Called once by the connection, after the last frame or a reset. */
  close(): void {
    this.isClosed = true;
    this.head = undefined;
    this.incoming?.abort();
    this.outgoing?.cancel();
    this.outgoing = undefined;
    if (!this.isResponseSent) this.request?.cancel();
    const listeners = this.#onClose;
    this.#onClose = undefined;
    if (listeners) for (const listener of listeners) listener();
  }
}

const noBytes = Buffer.alloc(0);

/** A body is drained while bytes arrive in each step, for at most `maxSteps`. */
const stepMs = 100;
const maxSteps = 50;
const maxBytes = 64 << 20;

/**
 * Reads and drops the rest of a body after the answer: many clients read the answer only when they have sent the whole request.
 * Gives up on a client that pauses or sends too much.
 */
export function drainBody(exchange: Http2Exchange, giveUp: () => void): void {
  exchange.incoming?.discard();
  let before = -1;
  let steps = 0;
  const step = () => {
    if (exchange.isClosed) return;
    const length = exchange.incoming?.length ?? 0;
    if (length === before || ++steps > maxSteps || length > maxBytes) return void giveUp();
    before = length;
    setTimeout(step, stepMs);
  };
  step();
}
