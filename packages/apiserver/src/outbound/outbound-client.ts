import type { ConnectionOptions } from 'node:tls';
import { type Destination, Http1Client, type Http1Response, trustOptions } from '@tsukube/transport';
import type { NetworkAddress } from './service-resolver.ts';

export { OutboundError } from '@tsukube/transport';

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

export type OutboundResponse = Http1Response;

/**
 * HTTP client for webhooks and token issuers. Connections are kept alive, certificates are verified as in Go, responses are bounded
 * and redirects are not followed.
 */
export interface OutboundClient {
  /** Resolves with a response of any status. Rejects with OutboundError if there is none in time. */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Closes all connections. Requests in flight are rejected. */
  close(): void;
}

const defaultMaxSockets = 64;

export function outboundClient(options: OutboundClientOptions): OutboundClient {
  const { maxResponseBytes, maxSockets = defaultMaxSockets } = options;
  const client = new Http1Client({ tls: tlsOptions(options), maxSockets, maxResponseBytes });
  return {
    async send(request) {
      const { body = '', timeoutMs, signal } = request;
      return client.send({ destination: destinationOf(request), head: headOf(request), body, timeoutMs, signal });
    },
    close: () => client.close(),
  };
}

function tlsOptions({ ca, cert, key, serverName, skipVerification = false }: OutboundClientOptions): ConnectionOptions {
  return {
    cert,
    key,
    ...(serverName && { servername: serverName }),
    ...trustOptions(ca),
    rejectUnauthorized: !skipVerification,
  };
}

function destinationOf({ url, address }: OutboundRequest): Destination {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port) || (isSecure ? 443 : 80);
  return { isSecure, host: address?.host ?? host, port: address?.port ?? port, servername: host };
}

const fieldName = /^[a-z0-9-]+$/;
const fieldValue = /^[\t -~\u0080-\u00ff]*$/;

/** Throws an Error if a header value has characters that would end it. */
function headOf({ method, url, headers, body }: OutboundRequest): string {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    if (!fieldName.test(name) || !fieldValue.test(value)) throw new Error(`invalid character in the header ${name}`);
    head += `${name}: ${value}\r\n`;
  }
  return body === undefined ? `${head}\r\n` : `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
}
