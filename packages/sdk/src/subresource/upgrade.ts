import { StatusError } from '@tsukube/machinery';
import { type Answer, acceptWebSocket, type UpgradedConnection } from '@tsukube/transport';
import type { UpgradeHandler, WebSocketHandler } from './subresource.ts';
import type { SubresourceRequest } from './subresource-request.ts';

/** Close code of RFC 6455 for an error of the server. */
const internalError = 1011;

/** Throws 400 if the client offers subprotocols and none is known. */
export async function connectWebSocket<T>(handler: WebSocketHandler<T>, request: SubresourceRequest<T>): Promise<Answer> {
  const { exchange, shutdown } = request.request;
  const protocol = negotiate(handler.protocols ?? [], exchange.header('sec-websocket-protocol') ?? '');
  const socket = await acceptWebSocket(exchange, protocol);
  const forget = shutdown.onBegin(() => socket.close(1001));
  socket.once('close', forget);
  Promise.resolve()
    .then(() => handler.connect(socket, request, protocol))
    .catch((error) => {
      report(error, request);
      socket.close(internalError);
    });
  return { kind: 'taken-over', status: 101 };
}

function negotiate(known: readonly string[], header: string): string {
  const offered = header
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  if (offered.length === 0 || known.length === 0) return '';
  const protocol = known.find((each) => offered.includes(each));
  if (protocol === undefined)
    throw StatusError.badRequest(`unable to negotiate protocol: client supports ${header}, server accepts ${known.join(', ')}`);
  return protocol;
}

export function serveUpgrade<T>(handler: UpgradeHandler<T>, request: SubresourceRequest<T>): Answer {
  const { exchange, shutdown } = request.request;
  const connection = exchange.takeOver?.() as UpgradedConnection;
  const { socket } = connection;
  socket.on('error', () => socket.destroy());
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${handler.protocol}\r\n\r\n`);
  const forget = shutdown.onBegin(() => socket.end());
  socket.once('close', forget);
  Promise.resolve()
    .then(() => handler.connect(connection, request))
    .catch((error) => {
      report(error, request);
      socket.destroy();
    });
  return { kind: 'taken-over', status: 101 };
}

function report<T>(error: unknown, { request }: SubresourceRequest<T>): void {
  const { logger } = request.objects.services;
  logger?.error('a connection of a subresource failed', { path: request.path, error: String((error as Error)?.stack ?? error) });
}
