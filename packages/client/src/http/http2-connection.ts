import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { ConnectionError, failureOf, type HttpRequest, type HttpResponse } from './transport.ts';

export interface KeepAlive {
  /** A connection that receives nothing for this long is pinged. */
  readonly pingAfterMs: number;
  /** Without an answer to a ping the connection is dead. */
  readonly pingTimeoutMs: number;
}

const streamWindow = 4 << 20;
const connectionWindow = 32 << 20;
const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = constants;

/** One HTTP/2 connection. A dead one is detected by pings, and its streams fail. */
export class Http2ClientConnection {
  readonly #session: ClientHttp2Session;
  readonly #socket: TLSSocket;
  readonly #keepAlive: KeepAlive;
  #streams = 0;
  #lastStream = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: TLSSocket, origin: string, keepAlive: KeepAlive) {
    this.#socket = socket;
    this.#keepAlive = keepAlive;
    this.#session = connect(origin, { createConnection: () => socket, settings: { initialWindowSize: streamWindow } });
    this.#session.on('error', () => {});
    this.#session.on('goaway', (_code, lastStream) => this.#retire(lastStream));
    this.#session.on('close', () => clearInterval(this.#timer));
    this.#session.unref();
    this.#watchSilence();
  }

  /** Resolves with the settings of the server, which limit the number of streams. Rejects with ConnectionError. */
  ready(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (cause?: unknown) => {
        clearTimeout(timer);
        this.close();
        reject(new ConnectionError('no HTTP/2 settings from the server', { unprocessed: true, cause }));
      };
      const timer = setTimeout(fail, timeoutMs);
      this.#session.once('remoteSettings', () => {
        clearTimeout(timer);
        this.#session.setLocalWindowSize(connectionWindow);
        resolve();
      });
      this.#session.once('close', fail);
    });
  }

  /** Whether new requests may use this connection. */
  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed && this.#lastStream === Number.POSITIVE_INFINITY;
  }

  /** Whether a request would start now, instead of waiting for another one to end. */
  get hasRoom(): boolean {
    return this.isOpen && this.#streams < (this.#session.remoteSettings.maxConcurrentStreams ?? 100);
  }

  get streams(): number {
    return this.#streams;
  }

  send(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const { signal } = request;
      if (signal?.aborted) return reject(signal.reason);
      const stream = this.#open(request);
      const abort = () => {
        stream.close(NGHTTP2_CANCEL);
        stream.destroy(signal?.reason instanceof Error ? signal.reason : new Error(String(signal?.reason)));
      };
      signal?.addEventListener('abort', abort, { once: true });
      stream.once('response', (headers) => resolve({ status: headers[':status'] ?? 0, headers: plain(headers), body: stream }));
      stream.on('error', (error) => reject(failureOf(error, signal, this.#isUnprocessed(stream))));
      stream.once('close', () => {
        signal?.removeEventListener('abort', abort);
        this.#release();
        const unprocessed = this.#isUnprocessed(stream);
        reject(failureOf(new ConnectionError('the stream was closed without a response', { unprocessed }), signal));
      });
    });
  }

  close(error?: Error): void {
    clearInterval(this.#timer);
    this.#session.destroy(error);
    this.#socket.destroy();
  }

  #open({ method, path, headers, body }: HttpRequest): ClientHttp2Stream {
    const all = { ':method': method, ':path': path, ...headers } as Record<string, string | string[]>;
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(all, { endStream: body === undefined });
    } catch (cause) {
      throw new ConnectionError('the connection is closed', { unprocessed: true, cause });
    }
    if (this.#streams++ === 0) this.#session.ref();
    if (body !== undefined) stream.end(body);
    return stream;
  }

  /** An idle connection does not keep the process running. */
  #release(): void {
    this.#streams--;
    if (this.#streams > 0) return;
    this.#session.unref();
    if (!this.isOpen) this.close();
  }

  #isUnprocessed({ rstCode, id }: ClientHttp2Stream): boolean {
    return rstCode === NGHTTP2_REFUSED_STREAM || id === undefined || id > this.#lastStream;
  }

  /** GOAWAY: accepted streams continue, new ones need another connection. */
  #retire(lastStream: number): void {
    this.#lastStream = Math.min(this.#lastStream, lastStream);
    if (this.#streams === 0) this.close();
  }

  /** Pings if nothing was received since the last look. */
  #watchSilence(): void {
    let seen = -1;
    const { pingAfterMs, pingTimeoutMs } = this.#keepAlive;
    this.#timer = setInterval(() => {
      const { bytesRead } = this.#socket;
      if (bytesRead === seen) this.#ping(pingTimeoutMs);
      seen = bytesRead;
    }, pingAfterMs);
    this.#timer.unref();
  }

  #ping(timeoutMs: number): void {
    if (this.#session.destroyed) return;
    const before = this.#socket.bytesRead;
    const timer = setTimeout(() => {
      if (this.#socket.bytesRead === before) this.close(new ConnectionError(`no answer to a ping within ${timeoutMs} ms`));
    }, timeoutMs);
    timer.unref();
    const sent = this.#session.ping((error) => {
      if (!error) clearTimeout(timer);
    });
    if (!sent) clearTimeout(timer);
  }
}

function plain(headers: IncomingHttpHeaders): Record<string, string | string[] | undefined> {
  return headers as Record<string, string | string[] | undefined>;
}
