import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { StatusError } from '@tsukube/machinery';
import type { Answer, Exchange } from '@tsukube/transport';
import type { ResourceRequest } from '../registry/resource-request.ts';
import { type Backend, startRequest } from './backend.ts';
import { proxiedResponseHeaders, upgradeHeaders } from './proxy-headers.ts';

/** Whether the client asks for another protocol. HTTP/2 has no upgrades. */
export function isUpgradeRequest({ exchange }: { readonly exchange: Exchange }): boolean {
  return exchange.takeOver !== undefined;
}

/** The response of a backend to an upgrade request. */
export type UpgradeResponse =
  | { readonly is: 'upgraded'; readonly response: IncomingMessage; readonly socket: Duplex; readonly head: Buffer }
  | { readonly is: 'refused'; readonly response: IncomingMessage };

/** A request that asks a backend to switch protocols. Names and values of the headers alternate. */
export interface UpgradeRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
}

/** There is no response. The message is Go's text for the failure. */
export class UpgradeFailed extends Error {
  override readonly name = 'UpgradeFailed';
  /** Whether the backend was reached, so that it may have received the request. */
  readonly wasConnected: boolean;

  constructor(message: string, wasConnected: boolean) {
    super(message);
    this.wasConnected = wasConnected;
  }
}

/** Asks the backend to switch protocols, on a connection of its own. Rejects with UpgradeFailed. */
export function requestUpgrade(backend: Backend, request: UpgradeRequest, signal: AbortSignal): Promise<UpgradeResponse> {
  return new Promise((resolve, reject) => {
    // Node would send an empty chunked body, which the other protocol cannot follow.
    const headers = request.method === 'GET' ? request.headers : [...request.headers, 'content-length', '0'];
    const sent = startRequest(backend, { ...request, headers, signal }, (problem, wasConnected) =>
      reject(new UpgradeFailed(problem, wasConnected)),
    );
    sent.once('upgrade', (response, socket, head) => resolve({ is: 'upgraded', response, socket, head }));
    sent.once('response', (response) => {
      response.once('close', () => sent.destroy());
      resolve({ is: 'refused', response });
    });
    sent.end();
  });
}

/** Forwards an upgrade request, and then the bytes in both directions. `target` is the path and query at the backend. */
export async function proxyUpgrade(request: ResourceRequest, backend: Backend, target: string): Promise<Answer> {
  const { method, signal } = request;
  const asked = { method, target, headers: upgradeHeaders(request) };
  const answered = await requestUpgrade(backend, asked, signal).catch((error: Error) => {
    throw upgradeError(`error dialing backend: ${error.message}`);
  });
  if (answered.is === 'refused') return refusal(answered.response);
  const { socket, head, response } = answered;
  const client = takeOverClient(request, socket);
  client.socket.write(switchingHead(response), 'latin1');
  joinSockets(request, client, { socket, head });
  return { kind: 'taken-over', status: 101 };
}

/** A failure to connect is a 500 with its message, as in kube-apiserver. */
export function upgradeError(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, code: 500 });
}

/** Error responses of the backend are passed on; any other response without an upgrade is an error. */
export function refusal(response: IncomingMessage): Answer {
  const { statusCode = 500, headers, rawHeaders } = response;
  if (statusCode < 400) {
    response.destroy();
    throw upgradeError(`invalid upgrade response: status code ${statusCode}`);
  }
  const type = headers['content-type'] ?? '';
  return {
    kind: 'bytes',
    status: statusCode,
    type,
    headers: proxiedResponseHeaders(rawHeaders),
    body: response,
    isProxied: true,
  };
}

interface Side {
  readonly socket: Duplex;
  /** Bytes that were received already. */
  readonly head: Buffer;
}

/** The connection of the client. Destroys that of the backend if the client is gone. */
export function takeOverClient({ exchange, isOver }: Pick<ResourceRequest, 'exchange' | 'isOver'>, backend: Duplex): Side {
  if (isOver || !exchange.takeOver) {
    backend.destroy();
    throw upgradeError('the client closed the connection');
  }
  return exchange.takeOver();
}

/** The backend's status line and headers as it sent them. */
export function switchingHead({ rawHeaders, statusMessage }: IncomingMessage): string {
  let head = `HTTP/1.1 101 ${statusMessage || STATUS_CODES[101]}\r\n`;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) head += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  return `${head}\r\n`;
}

/** Copies bytes in both directions until one side ends; then both are closed, after the received bytes have been flushed. */
export function joinSockets({ shutdown }: Pick<ResourceRequest, 'shutdown'>, client: Side, backend: Side): void {
  if (backend.head.length > 0) client.socket.write(backend.head);
  if (client.head.length > 0) backend.socket.write(client.head);
  const stopWaiting = shutdown.onBegin(() => client.socket.destroy());
  for (const { socket } of [client, backend]) keepAlive(socket);
  copy(client.socket, backend.socket);
  copy(backend.socket, client.socket);
  client.socket.once('close', stopWaiting);
}

function copy(from: Duplex, to: Duplex): void {
  from.pipe(to, { end: false });
  from.once('end', () => finish(to));
  from.once('close', () => finish(to));
  from.on('error', () => from.destroy());
  to.on('finish', () => from.destroy());
}

const flushTimeoutMs = 10_000;

/** Flushes buffered bytes, and closes. */
function finish(socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const timer = setTimeout(() => socket.destroy(), flushTimeoutMs);
  socket.once('close', () => clearTimeout(timer));
  socket.end(() => socket.destroy());
}

const keepAliveMs = 15_000;

/** Detects a peer that is gone while nothing is sent. */
function keepAlive(socket: Duplex): void {
  if (socket instanceof Socket) socket.setKeepAlive(true, keepAliveMs);
}
