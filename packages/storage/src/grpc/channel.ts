import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { GrpcStatus } from './status.ts';

export type ChannelTls = Pick<SecureClientSessionOptions, 'ca' | 'cert' | 'key'>;

/** A gRPC server, and the errors its clients throw. */
export interface GrpcTarget {
  readonly url: string;
  readonly tls?: ChannelTls;
  /** Absent for TCP to the host of the URL. */
  readonly createConnection?: () => Duplex;
  /** Error of a request that was not sent because there is no connection. */
  unreachable(cause: unknown): Error;
  /** Error of a call that ended with a status other than OK. */
  failed(status: GrpcStatus): Error;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** etcd closes connections with more than one ping in five seconds, or with pings while there are no streams. */
const PING_EVERY_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
const STREAM_WINDOW_BYTES = 1 << 20;
const CONNECTION_WINDOW_BYTES = 16 << 20;

/** A gRPC channel: one HTTP/2 connection, opened on first use and reopened with backoff when it is lost. */
export class GrpcChannel {
  readonly peer: GrpcTarget;
  readonly #options: SecureClientSessionOptions;
  #session: ClientHttp2Session | undefined;
  #attempt: Promise<void> | undefined;
  #failures = 0;
  #streams = 0;
  #lastError: unknown;
  #closed = false;

  constructor(peer: GrpcTarget) {
    this.peer = peer;
    this.#options = {
      ...peer.tls,
      ...(peer.createConnection && { createConnection: peer.createConnection }),
      // As in Go, every certificate of the bundle is a trust anchor.
      allowPartialTrustChain: true,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
      // Streams are bounded by their windows; at this limit Node would reset streams.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    };
  }

  /** Whether the connection is up. Starts connecting if it is not. */
  get ready(): boolean {
    const ready = this.#session !== undefined && !this.#session.closed && !this.#session.destroyed;
    if (!ready && !this.#closed) this.#connect();
    return ready;
  }

  async whenReady(deadline: number): Promise<void> {
    while (!this.ready && !this.#closed && performance.now() < deadline) {
      await Promise.race([this.#attempt, pause(deadline - performance.now(), undefined, { ref: false })]);
    }
    if (!this.ready) throw this.peer.unreachable(this.#lastError);
  }

  /** Throws the target's error if there is no connection. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    if (!this.#session || !this.ready) throw this.peer.unreachable(this.#lastError);
    try {
      const stream = this.#session.request(headers);
      this.#streams++;
      stream.once('close', () => this.#streams--);
      return stream;
    } catch (error) {
      throw this.peer.unreachable(error);
    }
  }

  close(): void {
    this.#closed = true;
    this.#session?.destroy();
  }

  #connect(): void {
    this.#attempt ??= this.#tryOnce().finally(() => {
      this.#attempt = undefined;
    });
  }

  async #tryOnce(): Promise<void> {
    if (this.#failures > 0) await pause(channelBackoff(this.#failures));
    if (this.#closed) return;
    try {
      this.#session = await openSession(this.peer.url, this.#options);
      this.#keepAlive(this.#session);
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      this.#lastError = error;
    }
    if (this.#closed) this.#session?.destroy();
  }

  /** Detects a dead connection with pings. */
  #keepAlive(session: ClientHttp2Session): void {
    const pings = setInterval(() => {
      if (this.#streams === 0 || session.destroyed) return;
      const late = setTimeout(() => session.destroy(new Error('ping timed out')), PING_TIMEOUT_MS).unref();
      session.ping(() => clearTimeout(late));
    }, PING_EVERY_MS).unref();
    session.once('close', () => clearInterval(pings));
  }
}

function openSession(url: string, options: SecureClientSessionOptions): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(url, options);
    const timer = setTimeout(() => session.destroy(new Error('connecting timed out')), CONNECT_TIMEOUT_MS);
    session.on('error', reject);
    session.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the connection was closed'));
    });
    session.once('remoteSettings', () => {
      clearTimeout(timer);
      session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
      resolve(session);
    });
  });
}

const FIRST_MS = 25;
const LONGEST_MS = 1_000;

/** Exponential backoff in milliseconds after a number of consecutive failures. */
export function channelBackoff(failures: number): number {
  return Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
}
