import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { type ConnectionObserver, OutgoingConnection, type OutgoingExchange } from './outgoing-connection.ts';

export interface PoolOptions {
  /** Trust and credentials. A `servername` replaces the one of a destination. */
  readonly tls: ConnectionOptions;
  /** Connections to one destination. Further requests wait. */
  readonly maxSockets: number;
  /** Connections to one destination that are being made; further requests wait, and may get another one that becomes idle. All if absent. */
  readonly maxConnecting?: number;
  /** Idle connections that are kept for one destination; all if absent. */
  readonly maxIdleSockets?: number;
  /** Of responses that are not streamed. */
  readonly maxResponseBytes: number;
}

export interface Destination {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  /** Name that the certificate is verified for, if it is not `host`. */
  readonly servername: string;
}

/** A request that gets a connection of the pool. */
export interface PooledCall extends OutgoingExchange {
  startOn(connection: OutgoingConnection): void;
  onFailure(error: Error, connection?: OutgoingConnection, isUnanswered?: boolean): void;
}

/** Requests that may wait for a connection to one destination. */
const maxWaiting = 10_000;
const keepAliveProbeMs = 30_000;
/** As Go's HTTP client. */
const maxIdleMs = 90_000;

/** Connections to one destination, and the requests that wait for one. */
export class ConnectionPool implements ConnectionObserver {
  readonly #destination: Destination;
  readonly #options: PoolOptions;
  /** Ordered by last use, the most recent at the end. */
  readonly #idle: OutgoingConnection[] = [];
  readonly #open = new Set<OutgoingConnection>();
  readonly #waiting = new Set<PooledCall>();
  #connecting = 0;
  /** Parsing certificates and keys costs as much as a handshake. */
  #context: SecureContext | undefined;
  /** TLS session that the next connection resumes. */
  #session: Buffer | undefined;

  constructor(destination: Destination, options: PoolOptions) {
    this.#destination = destination;
    this.#options = options;
  }

  get isUnused(): boolean {
    return this.#open.size === 0 && this.#waiting.size === 0;
  }

  submit(call: PooledCall): void {
    const idle = this.#idle.pop();
    if (idle) call.startOn(idle);
    else if (this.#mayConnect) call.startOn(this.#connect());
    else if (this.#waiting.size < maxWaiting) this.#waiting.add(call);
    else call.onFailure(new Error('too many requests wait for a connection'));
  }

  get #mayConnect(): boolean {
    const { maxSockets, maxConnecting = Number.POSITIVE_INFINITY } = this.#options;
    return this.#open.size < maxSockets && this.#connecting < maxConnecting;
  }

  withdraw(call: PooledCall): void {
    this.#waiting.delete(call);
  }

  closeIdle(now: number): void {
    for (const connection of [...this.#idle])
      if (now - connection.idleSince >= Math.min(connection.idleLimitMs ?? maxIdleMs, maxIdleMs)) connection.destroy();
  }

  close(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const connection of this.#open) connection.destroy(new Error('the client is closed'));
    for (const call of waiting) call.onFailure(new Error('the client is closed'));
  }

  onIdle(connection: OutgoingConnection): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      return void next.startOn(connection);
    }
    if (this.#idle.length >= (this.#options.maxIdleSockets ?? Number.POSITIVE_INFINITY)) return void connection.destroy();
    connection.idleSince = performance.now();
    this.#idle.push(connection);
  }

  onClosed(connection: OutgoingConnection): void {
    this.#open.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    if (!connection.isReady) this.#connecting--;
    this.#connectNext();
  }

  onReady(): void {
    this.#connecting--;
    this.#connectNext();
  }

  #connectNext(): void {
    const [next] = this.#waiting;
    if (!next || !this.#mayConnect) return;
    this.#waiting.delete(next);
    next.startOn(this.#connect());
  }

  #connect(): OutgoingConnection {
    const { isSecure } = this.#destination;
    const socket = isSecure ? this.#connectTls() : connectPlain(this.#target());
    const readyEvent = isSecure ? 'secureConnect' : 'connect';
    const connection = new OutgoingConnection(socket, readyEvent, this, this.#options.maxResponseBytes);
    this.#open.add(connection);
    this.#connecting++;
    return connection;
  }

  #target() {
    const { host, port } = this.#destination;
    return { host, port, keepAlive: true, keepAliveInitialDelay: keepAliveProbeMs };
  }

  #connectTls(): Socket {
    const { servername } = this.#destination;
    this.#context ??= createSecureContext(this.#options.tls);
    const socket = connectTls({
      ...this.#target(),
      // SNI does not allow addresses; the certificate is verified for the address then.
      ...(isIP(servername) === 0 && { servername }),
      ALPNProtocols: ['http/1.1'],
      session: this.#session,
      ...this.#options.tls,
      secureContext: this.#context,
    });
    socket.on('session', (session) => {
      this.#session = session;
    });
    socket.on('error', () => {
      this.#session = undefined;
    });
    return socket;
  }
}
