import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls';
import { HandshakeQueue } from './handshake-queue.ts';
import type { Answer } from './http/answer.ts';
import { EventLoopBudget } from './http/event-loop-budget.ts';
import type { Exchange } from './http/exchange.ts';
import { type Http1Options, type Http1Server, http1Server } from './http1/server.ts';
import { type Http2Server, http2Server } from './http2/server.ts';

export interface ListenerOptions extends Pick<Http1Options, 'allowsSubprotocol' | 'connectAnswer'> {
  readonly host: string;
  readonly port: number;
  readonly tls: SecureContextOptions;
  /** The certificate for a name that a client asks for; undefined for that of `tls`. */
  readonly contextFor?: (name: string) => SecureContext | undefined;
  /** SO_REUSEPORT: several processes may listen on the port. */
  readonly reusePort?: boolean;
  /** HTTP/1.1 only if false. */
  readonly http2?: boolean;
  readonly maxStreamsPerConnection: number;
  /** How likely a request is to be the last of its connection, so that clients spread over servers anew. */
  readonly goawayChance?: number;
  /** Time that a turn of the event loop may spend on requests; whoever handles them measures them. */
  readonly budget?: EventLoopBudget;
  /** Told of what no filter has turned into an answer. */
  readonly onError?: (error: unknown) => void;
  /** Gives an answer to every exchange. */
  readonly handle: (exchange: Exchange) => Answer | Promise<Answer>;
  readonly onHandshakeError?: () => void;
  /** Called when the first client connects, and when the last one is gone. */
  readonly onClients?: (isConnected: boolean) => void;
  /** Who has not sent a whole header by then is cut off. */
  readonly headerTimeoutMs?: number;
}

export interface Listener {
  readonly address: AddressInfo;
  setSecureContext(tls: SecureContextOptions): void;
  /** Takes no new connections, tells clients to go, and ends connections once idle; `force` ends all now. */
  close(): Promise<void>;
  force(): void;
}

/** Go's default limit, which kube-apiserver keeps. */
const maxHeaderBytes = 1 << 20;
/** Proxies add a header for each thing they know of a user. */
const maxHeaders = 1000;
const idleTimeoutMs = 90_000;
/** As kube-apiserver has it. */
const headerTimeoutMs = 32_000;
const handshakeTimeoutMs = 10_000;

/**
 * One TLS port for HTTP/1.1, HTTP/2 and upgrades. The protocol is chosen by ALPN and the socket handed to the server
 * that speaks it.
 */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const budget = options.budget ?? new EventLoopBudget();
  const http1 = http1Server({ ...options, budget, headerTimeoutMs: options.headerTimeoutMs ?? headerTimeoutMs });
  const http2 = http2Sessions(options, budget);
  const sockets = new Set<Socket>();
  const tls = createTlsServer({
    ...options.tls,
    ALPNProtocols: options.http2 === false ? ['http/1.1'] : ['h2', 'http/1.1'],
    ...sni(options),
    requestCert: true,
    // Strangers are let in as anonymous: what they may do is for authorization to say.
    rejectUnauthorized: false,
    handshakeTimeout: handshakeTimeoutMs,
  });
  const handshakes = new HandshakeQueue((socket) => tls.emit('connection', socket));
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
    track(sockets, socket, options);
    handshakes.add(socket);
  });
  tls.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.accept(socket);
    else http1.accept(socket);
  });
  tls.on('tlsClientError', () => options.onHandshakeError?.());
  await bind(server, options);
  return {
    address: server.address() as AddressInfo,
    setSecureContext: (settings) => tls.setSecureContext(settings),
    close: () => closeGently(server, http1, http2),
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
  // An error before the handshake has begun concerns nobody; afterwards TLS hears of it.
  socket.on('error', () => {});
  socket.once('close', () => {
    sockets.delete(socket);
    if (sockets.size === 0) onClients?.(false);
  });
}

function bind(server: Server, options: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const { port, host, reusePort } = options;
    const place = { port, host, backlog: 1024, ...(reusePort && { reusePort }) };
    server.listen(place, () => {
      server.off('error', reject);
      server.on('error', () => {});
      resolve();
    });
  });
}

function closeGently(server: Server, http1: Http1Server, http2: Http2Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    http2.close();
    http1.close();
  });
}

/** Writes the answer when it is there. A mistake outside of what turns errors into answers costs this request only. */
function settle(options: ListenerOptions, exchange: Exchange, write: (answer: Answer) => void, abort: () => void): void {
  const fail = (error: unknown) => {
    options.onError?.(error);
    abort();
  };
  try {
    const answer = options.handle(exchange);
    if (answer instanceof Promise) answer.then(write).catch(fail);
    else write(answer);
  } catch (error) {
    fail(error);
  }
}

function http2Sessions(options: ListenerOptions, budget: EventLoopBudget): Http2Server {
  return http2Server({
    budget,
    maxStreams: options.maxStreamsPerConnection,
    fieldLimits: { bytes: maxHeaderBytes, count: maxHeaders },
    headerTimeoutMs: options.headerTimeoutMs ?? headerTimeoutMs,
    idleTimeoutMs,
    goawayChance: options.goawayChance ?? 0,
    onError: (error) => options.onError?.(error),
    onExchange: (exchange) =>
      settle(
        options,
        exchange,
        (answer) => exchange.respond(answer),
        () => exchange.fail(),
      ),
  });
}
