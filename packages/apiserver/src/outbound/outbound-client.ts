import { X509Certificate } from 'node:crypto';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { trustOptions } from '@tsukube/transport';
import type { NetworkAddress } from './service-resolver.ts';

export interface OutboundClientOptions {
  /** CA bundle in PEM form; without it Node's list of authorities is used. */
  readonly ca?: string | Buffer | undefined;
  /** Client certificate and its key in PEM form. */
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  /** Name that the server's certificate is verified for, in place of the URL's host. */
  readonly serverName?: string | undefined;
  readonly skipVerification?: boolean;
  readonly maxSockets?: number;
  readonly maxResponseBytes: number;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Connects to this address; TLS and the Host header still use the URL's host. */
  readonly address?: NetworkAddress | undefined;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * HTTP client for webhooks and token issuers. Connections are kept alive, certificates are verified as in Go, responses are bounded
 * and redirects are not followed.
 */
export interface OutboundClient {
  /** Resolves with a response of any status. Rejects with OutboundError if there is none in time. */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Closes idle connections. */
  close(): void;
}

/** A request without a response. Has the message of Node's error, which is the cause. */
export class OutboundError extends Error {
  readonly timedOut: boolean;
  /** The server's certificate, if the handshake got that far. */
  readonly certificate: X509Certificate | undefined;

  constructor(cause: Error, timedOut: boolean, certificate: Buffer | undefined) {
    super(cause.message, { cause });
    this.name = cause.name;
    this.timedOut = timedOut;
    this.certificate = certificate && new X509Certificate(certificate);
  }
}

export function outboundClient(options: OutboundClientOptions): OutboundClient {
  const { maxResponseBytes, ...rest } = options;
  const pool = { keepAlive: true, ...(rest.maxSockets !== undefined && { maxSockets: rest.maxSockets }) };
  const http = new HttpAgent(pool);
  const https = new HttpsAgent({ ...pool, ...tlsOptions(rest) });
  return {
    send: (request) =>
      request.url.protocol === 'https:'
        ? exchange(request, maxResponseBytes, (sent) => httpsRequest({ ...sent, agent: https }))
        : exchange(request, maxResponseBytes, (sent) => httpRequest({ ...sent, agent: http })),
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

function tlsOptions({ ca, cert, key, serverName, skipVerification = false }: Omit<OutboundClientOptions, 'maxResponseBytes'>) {
  return {
    cert,
    key,
    ...(serverName && { servername: serverName }),
    ...trustOptions(ca),
    rejectUnauthorized: !skipVerification,
  };
}

function exchange(
  request: OutboundRequest,
  maxBytes: number,
  open: (options: RequestOptions) => ClientRequest,
): Promise<OutboundResponse> {
  const { body, signal, timeoutMs } = request;
  const deadline = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const sent = open(requestOptions(request, signal ? AbortSignal.any([signal, deadline]) : deadline));
    const certificate = peerCertificate(sent);
    const fail = (error: Error) => reject(new OutboundError(error, deadline.aborted, certificate()));
    sent.on('error', fail);
    sent.on('response', (response) => readResponse(response, maxBytes).then(resolve, fail));
    sent.end(body);
  });
}

function requestOptions({ method, url, headers, body, address }: OutboundRequest, signal: AbortSignal): RequestOptions {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    method,
    host: address?.host ?? host,
    port: address?.port ?? (url.port || (url.protocol === 'https:' ? 443 : 80)),
    path: url.pathname + url.search,
    ...(isIP(host) === 0 && { servername: host }),
    headers: { host: url.host, ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    signal,
  };
}

/** Records the certificate of a new connection before a failed verification closes it. */
function peerCertificate(sent: ClientRequest): () => Buffer | undefined {
  let certificate: Buffer | undefined;
  sent.once('socket', (socket: Socket) => {
    if (!socket.connecting) return;
    socket.prependOnceListener('secure', () => {
      certificate = (socket as TLSSocket).getPeerCertificate().raw;
    });
  });
  return () => certificate;
}

async function readResponse(response: IncomingMessage, maxBytes: number): Promise<OutboundResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}
