import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { certificate } from '../certificates.ts';
import { type ContainerLog, serveLog } from './logs.ts';
import { servePortForward } from './port-forward.ts';
import { commandOf, serveRemoteCommand } from './remote-command.ts';

export { ContainerLog } from './logs.ts';

export interface KubeletOptions {
  /** Names and addresses in the serving certificate. */
  readonly hosts?: readonly string[];
  readonly host?: string;
  readonly port?: number;
  /** Answers a request in place of the kubelet; true if it did. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Answers an upgrade request in place of the kubelet; true if it did. */
  readonly interceptUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
}

/** A request that the kubelet received. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Subject of the client certificate. */
  readonly client: string;
}

export interface StandInKubelet {
  readonly port: number;
  /** The authority of its certificate, in PEM form. */
  readonly ca: string;
  readonly seen: SeenRequest[];
  /** By `namespace/pod/container`, with `/previous` for the log of the container before its restart. */
  readonly logs: Map<string, ContainerLog>;
  /** The command that attach connects to. */
  attached: readonly string[];
  /** Open connections. */
  readonly connections: ReadonlySet<Duplex>;
  /** Closes all connections at once. */
  die(): void;
  close(): Promise<void>;
}

/** A server that speaks the protocols of a kubelet: SPDY exec, attach and port-forward with real processes, and logs. */
export async function startKubelet(options: KubeletOptions = {}): Promise<StandInKubelet> {
  const authority = certificate('kubelet-ca', { for: 'authority' });
  const { hosts = ['127.0.0.1'], host = '127.0.0.1', port = 0 } = options;
  const serving = certificate('kubelet', { for: 'server', hosts }, { issuer: authority });
  const seen: SeenRequest[] = [];
  const connections = new Set<Duplex>();
  const logs = new Map<string, ContainerLog>();
  const server = createServer({ cert: serving.pem, key: serving.key, requestCert: true, rejectUnauthorized: false });
  const kubelet = {
    ca: authority.pem,
    seen,
    logs,
    attached: ['cat'] as readonly string[],
    connections,
    die() {
      for (const connection of connections) connection.destroy();
    },
  };
  server.on('secureConnection', (socket: Duplex) => {
    connections.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    note(request, seen);
    if (!options.intercept?.(request, response)) answer(request, response, logs);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    note(request, seen);
    if (!options.interceptUpgrade?.(request, socket, head)) upgrade(request, socket, head, kubelet.attached);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return Object.assign(kubelet, { port: (server.address() as AddressInfo).port, close: () => stop(server, kubelet) });
}

function note(request: IncomingMessage, seen: SeenRequest[]): void {
  const { method = '', url = '', headers } = request;
  const socket = request.socket as { getPeerCertificate?(): { subject?: { O?: string; CN?: string } } };
  const { O, CN } = socket.getPeerCertificate?.().subject ?? {};
  seen.push({ method, url, headers, client: `${O}/${CN}` });
}

function answer(request: IncomingMessage, response: ServerResponse, logs: Map<string, ContainerLog>): void {
  const url = new URL(request.url ?? '/', 'https://kubelet');
  const [, kind, ...rest] = url.pathname.split('/');
  if (kind === 'containerLogs') {
    const log = logs.get([...rest, ...(url.searchParams.has('previous') ? ['previous'] : [])].join('/'));
    if (log) serveLog(log, url.searchParams, request, response);
    else response.writeHead(404).end(`pod does not exist`);
    return;
  }
  if (kind === 'echo') return void echo(request, response);
  response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
}

/** Returns the request: its method, target and headers as JSON, then its body. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request;
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'x-kubelet': 'echo' });
  response.write(`${JSON.stringify({ method, url, headers })}\n`);
  request.pipe(response);
}

function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, attached: readonly string[]): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://kubelet');
  const [, kind] = pathname.split('/');
  if (kind === 'exec') serveRemoteCommand(request, socket, head, commandOf(searchParams, undefined));
  else if (kind === 'attach') serveRemoteCommand(request, socket, head, commandOf(searchParams, attached));
  else if (kind === 'portForward') servePortForward(request, socket, head);
  else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}

async function stop(server: Server, kubelet: { die(): void }): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  kubelet.die();
  await closed;
}
