import { getServers } from 'node:dns';
import { goQuote, isObject, type JsonValue, parseJson } from '@tsukube/machinery';
import { verificationProblem } from '@tsukube/transport';
import type { OutboundError } from './outbound-client.ts';

/** A webhook call without a usable response. */
export class WebhookFailed extends Error {
  override readonly name = 'WebhookFailed';
  /** The HTTP status of the response, if there was one. */
  readonly status: number | undefined;

  constructor(message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.status = status;
  }
}

type SystemError = NodeJS.ErrnoException & { readonly address?: string; readonly port?: number; readonly hostname?: string };

/** Message of a failed request, as Go's HTTP client words it. `urlHost` is the host of the URL, which may be an IPv6 address in brackets. */
export function connectionProblem({ cause, message, timedOut, certificate }: OutboundError, urlHost: string): string {
  if (timedOut) return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  const { code = '', address, port, hostname } = cause as Partial<SystemError>;
  const host = urlHost.replace(/^\[|\]$/g, '');
  const unverified = verificationProblem({ code, host, certificate, now: Date.now() });
  if (unverified !== undefined) return unverified;
  const dialed = `dial tcp ${address?.includes(':') ? `[${address}]` : address}:${port}`;
  if (code === 'ECONNREFUSED') return `${dialed}: connect: connection refused`;
  if (code === 'EHOSTUNREACH') return `${dialed}: connect: no route to host`;
  if (code === 'ENETUNREACH') return `${dialed}: connect: network is unreachable`;
  if (code === 'ETIMEDOUT') return `${dialed}: connect: connection timed out`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}${resolverText()}: no such host`;
  if (code === 'ECONNRESET' && !message.includes('ECONNRESET')) return 'EOF';
  if (/^(EPROTO|ERR_SSL_.*)$/.test(code) && message.includes('wrong version number'))
    return 'http: server gave HTTP response to HTTPS client';
  return message;
}

function resolverText(): string {
  const [server] = getServers();
  if (server === undefined) return '';
  return ` on ${server.includes(':') ? server : `${server}:53`}`;
}

const maxTextBytes = 2048;

const messages: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** The error that client-go derives from an HTTP error: the message of the Status, or a generic one for the status code. */
export function statusProblem(status: number, contentType: string, body: Buffer): string {
  const text = contentType.startsWith('text/') ? body.subarray(0, maxTextBytes).toString('utf8').trim() : 'unknown';
  if (contentType.startsWith('application/json')) {
    const message = messageOfStatus(body);
    if (message !== undefined) return message;
  }
  const known = messages[status];
  if (known !== undefined) return known;
  if (status === 403 || status === 415) return text;
  if (status === 406)
    return text === '' || text === 'unknown'
      ? 'the server was unable to respond with a content type that the client supports'
      : text;
  if (status >= 500) return `an error on the server (${goQuote(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

function messageOfStatus(body: Buffer): string | undefined {
  let value: JsonValue;
  try {
    ({ value } = parseJson(body));
  } catch {
    return undefined;
  }
  if (!isObject(value) || value.kind !== 'Status' || value.apiVersion !== 'v1' || value.status === 'Success') return undefined;
  return typeof value.message === 'string' ? value.message : undefined;
}
