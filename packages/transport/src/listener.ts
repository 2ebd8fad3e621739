import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls';
import { HandshakeQueue } from './handshake-queue.ts';
import { EventLoopBudget } from './http/event-loop-budget.ts';
import type { ExchangeHandlerOptions } from './http/serve.ts';
import { type Http1Options, type Http1Server, http1Server } from './http1/server.ts';
import { type Http2Server, http2Server } from './http2/server.ts';

export interface ListenerOptions extends ExchangeHandlerOptions, Pick<Http1Options, 'allowsSubprotocol' | 'connectAnswer'> {
  readonly host: string;
  readonly port: number;
  readonly tls: SecureContextOptions;
  /** The certificate for a server name (SNI); undefined for that of `tls`. */
  readonly contextFor?: (name: string) => SecureContext | undefined;
  /** SO_REUSEPORT: several processes may listen on the port. */
  readonly reusePort?: boolean;
  /** Hands an accepted connection to another process. Returns false if this process has to serve it. */
  readonly passOn?: (socket: Socket) => boolean;
  /** Connections come from another process, which listens on the port. */
  readonly incoming?: IncomingConnections;
  /** HTTP/1.1 only if false. */
  readonly http2?: boolean;
  readonly maxStreamsPerConnection: number;
  /** Probability that a request is the last of its connection, so that clients rebalance over servers. */
  readonly goawayChance?: number;
  /** Time slice for requests; the handler measures them. */
  readonly budget?: EventLoopBudget;
  readonly onHandshakeError?: () => void;
  /** Called when the first client connects and when the last one disconnects. */
  readonly onClients?: (isConnected: boolean) => void;
  /** Clients that have not sent a whole header by then are disconnected. */
  readonly headerTimeoutMs?: number;
}

/** Connections that another process has accepted. */
export interface IncomingConnections {
  readonly address: AddressInfo;
  /** Calls back with every connection until `close` is called. The sockets are paused. */
  open(accept: (socket: Socket) => void): void;
  close(): void;
}

export interface Listener {
  readonly address: AddressInfo;
  setSecureContext(tls: SecureContextOptions): void;
  /** HTTP/1.1 answers end their connections from now on: a client learns of the shutdown from an answer, not from a reset. */
  retire(): void;
  /** Drains: accepts no new connections, sends GOAWAY, closes connections once idle. */
  close(): Promise<void>;
  /** Closes all connections now. */
  force(): void;
}

/** Go's default limit, which kube-apiserver keeps. */
const maxHeaderBytes = 1 << 20;
/** Authenticating proxies add a header for each group and extra of a user. */
const maxHeaders = 1000;
const idleTimeoutMs = 90_000;
/** kube-apiserver's ReadHeaderTimeout. */
const headerTimeoutMs = 32_000;
const handshakeTimeoutMs = 10_000;

/** One TLS port for HTTP/1.1, HTTP/2 and upgrades. ALPN selects the protocol, and its server gets the socket. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const budget = options.budget ?? new EventLoopBudget();
  const http1 = http1Server({ ...options, budget, headerTimeoutMs: options.headerTimeoutMs ?? headerTimeoutMs });
  const http2 = http2ServerOf(options, budget);
  const sockets = new Set<Socket>();
  const tls = createTlsServer({
    ...options.tls,
    ALPNProtocols: options.http2 === false ? ['http/1.1'] : ['h2', 'http/1.1'],
    ...sni(options),
    requestCert: true,
    // Clients without a trusted certificate connect too: authentication and authorization decide about their requests.
    rejectUnauthorized: false,
    handshakeTimeout: handshakeTimeoutMs,
  });
  const handshakes = new HandshakeQueue((socket) => tls.emit('connection', socket));
  const accept = (socket: Socket) => {
    track(sockets, socket, options);
    // A socket of another process is being read already, and they arrive one at a time: its handshake begins in this turn.
    if (options.incoming) tls.emit('connection', socket);
    else handshakes.add(socket);
  };
  tls.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.accept(socket);
    else http1.accept(socket);
  });
  tls.on('tlsClientError', () => options.onHandshakeError?.());
  const source = await openSource(options, accept);
  return {
    address: source.address,
    setSecureContext: (settings) => tls.setSecureContext(settings),
    retire: () => http1.retire(),
    close: () => drain(source, sockets, http1, http2),
    force: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function sni({ contextFor }: ListenerOptions): Pick<TlsOptions, 'SNICallback'> {
  return contextFor ? { SNICallback: (name, done) => done(null, contextFor(name)) } : {};
}

function track(sockets: Set<Socket>, socket: Socket, { onClients }: ListenerOptions): void {
  if (sockets.add(socket).size === 1) onClients?.(true);
  // Errors before the handshake are ignored; later ones reach the TLS socket.
  socket.on('error', () => {});
  socket.once('close', () => {
    sockets.delete(socket);
    if (sockets.size === 0) onClients?.(false);
  });
}

interface ConnectionSource {
  readonly address: AddressInfo;
  close(): void;
}

async function openSource(options: ListenerOptions, accept: (socket: Socket) => void): Promise<ConnectionSource> {
  const { incoming } = options;
  if (!incoming) return openPort(options, accept);
  incoming.open(accept);
  return incoming;
}

async function openPort(options: ListenerOptions, accept: (socket: Socket) => void): Promise<ConnectionSource> {
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
    if (!options.passOn?.(socket)) accept(socket);
  });
  await bind(server, options);
  return { address: server.address() as AddressInfo, close: () => void server.close() };
}

function bind(server: Server, { port, host, reusePort }: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const place = { port, host, backlog: 1024, ...(reusePort && { reusePort }) };
    server.listen(place, () => {
      server.off('error', reject);
      server.on('error', () => {});
      resolve();
    });
  });
}

/** Resolves when the last connection of this process is closed. */
function drain(source: ConnectionSource, sockets: ReadonlySet<Socket>, http1: Http1Server, http2: Http2Server): Promise<void> {
  return new Promise((resolve) => {
    const check = () => sockets.size === 0 && resolve();
    source.close();
    for (const socket of sockets) socket.once('close', check);
    http2.close();
    http1.close();
    check();
  });
}

function http2ServerOf(options: ListenerOptions, budget: EventLoopBudget): Http2Server {
  return http2Server({
    budget,
    maxStreams: options.maxStreamsPerConnection,
    headerLimits: { bytes: maxHeaderBytes, count: maxHeaders },
    headerTimeoutMs: options.headerTimeoutMs ?? headerTimeoutMs,
    idleTimeoutMs,
    goawayChance: options.goawayChance ?? 0,
    handle: options.handle,
    onError: options.onError,
  });
}
