import { X509Certificate } from 'node:crypto';
import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { trustOptions } from '@tsukube/transport';
import { OutboundError } from '../outbound/outbound-client.ts';
import { connectionProblem } from '../outbound/webhook-failure.ts';

/** A server that requests are proxied to. */
export interface Backend {
  readonly scheme: 'http' | 'https';
  /** Name or address, without brackets. */
  readonly host: string;
  /** A number; empty for the default port of the scheme. */
  readonly port: string;
  readonly tls?: BackendTls | undefined;
}

export interface BackendTls {
  /** Client certificate and key in PEM form. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Certificate authorities in PEM form. Certificates are not verified without them, as in kube-apiserver. */
  readonly ca?: string | undefined;
  /** Verifies certificates even without `ca`: with Node's root certificates. */
  readonly verify?: boolean;
  /** Name that the certificate is verified for, in place of the host. */
  readonly serverName?: string | undefined;
}

/** A request for a backend. */
export interface BackendRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names and values alternate, as in Node's rawHeaders. */
  readonly headers: readonly string[];
  readonly signal: AbortSignal;
}

/** The host and port of a URL of the backend. */
export function hostPortOf({ host, port }: Backend): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === '' ? name : `${name}:${port}`;
}

const connectTimeoutMs = 30_000;

/**
 * Starts a request, on a connection of its own that is never used again. The caller ends it. `onError` gets Go's text
 * for the failure and whether a connection was made, and is called at most once, and never after the response.
 */
export function startRequest(
  backend: Backend,
  request: BackendRequest,
  onError: (problem: string, wasConnected: boolean) => void,
): ClientRequest {
  const { method, target, headers, signal } = request;
  const options: RequestOptions = {
    method,
    host: backend.host,
    port: backend.port === '' ? (backend.scheme === 'https' ? 443 : 80) : Number(backend.port),
    path: target,
    headers: [...headers],
    agent: false,
    signal,
  };
  const sent = backend.scheme === 'https' ? httpsRequest({ ...options, ...backendTlsOptions(backend) }) : httpRequest(options);
  const certificate = peerCertificate(sent);
  let timedOut = false;
  let wasConnected = false;
  limitConnecting(sent, {
    onConnected: () => {
      wasConnected = true;
    },
    onTimeout: () => {
      timedOut = true;
    },
  });
  let isSettled = false;
  for (const event of ['response', 'upgrade']) sent.prependOnceListener(event, () => (isSettled = true));
  sent.on('error', (error) => {
    if (isSettled) return;
    isSettled = true;
    const problem = timedOut ? `dial tcp ${hostPortOf(backend)}: i/o timeout` : problemOf(error, backend, certificate());
    onError(problem, wasConnected);
  });
  return sent;
}

const schemeMismatch = 'http: server gave HTTP response to HTTPS client';
const noTls = 'tls: first record does not look like a TLS handshake';

/** The text of Go's client for a problem of its transport. */
export function asClientProblem(problem: string): string {
  return problem === noTls ? schemeMismatch : problem;
}

/** The text of Go's transport for a problem of its client. */
export function asTransportProblem(problem: string): string {
  return problem === schemeMismatch ? noTls : problem;
}

function problemOf(error: Error, { host, tls }: Backend, certificate: X509Certificate | undefined): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ABORT_ERR') return 'context canceled';
  if (code?.startsWith('HPE_')) return `net/http: HTTP/1.x transport connection broken: ${error.message}`;
  const problem = connectionProblem(new OutboundError(error, false, certificate?.raw), tls?.serverName ?? host);
  return asTransportProblem(problem);
}

/** TLS options of a connection to the backend. */
export function backendTlsOptions({ host, tls }: Pick<Backend, 'host' | 'tls'>) {
  const { cert, key, ca, verify = false, serverName = host } = tls ?? {};
  const trust = ca === undefined && !verify ? { rejectUnauthorized: false } : trustOptions(ca);
  return { cert, key, ...trust, ...(isIP(serverName) === 0 && { servername: serverName }), ALPNProtocols: ['http/1.1'] };
}

/** Limits the time until the connection is ready, not that until the response, which may be a long time coming. */
function limitConnecting(
  sent: ClientRequest,
  { onConnected, onTimeout }: Readonly<Record<'onConnected' | 'onTimeout', () => void>>,
) {
  sent.once('socket', (socket: Socket) => {
    if (sent.reusedSocket) return onConnected();
    const timer = setTimeout(() => {
      onTimeout();
      sent.destroy();
    }, connectTimeoutMs);
    const stop = () => clearTimeout(timer);
    socket.once(isEncrypted(socket) ? 'secureConnect' : 'connect', () => {
      stop();
      onConnected();
    });
    socket.once('close', stop);
  });
}

const isEncrypted = (socket: Socket): socket is TLSSocket => 'encrypted' in socket;

/** Records the certificate of the backend before a failed verification closes the connection. */
function peerCertificate(sent: ClientRequest): () => X509Certificate | undefined {
  let raw: Buffer | undefined;
  sent.once('socket', (socket: Socket) => {
    if (sent.reusedSocket) return;
    socket.prependOnceListener('secure', () => {
      raw = (socket as TLSSocket).getPeerCertificate().raw;
    });
  });
  return () => raw && new X509Certificate(raw);
}
