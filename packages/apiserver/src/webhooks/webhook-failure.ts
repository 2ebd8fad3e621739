import type { X509Certificate } from 'node:crypto';
import { getServers } from 'node:dns';
import { goQuote, isObject, type JsonValue, parseJson } from '@tsukube/machinery';
import { verificationProblem } from '@tsukube/transport';

/** The call did not bring an answer that can be read. */
export class WebhookFailed extends Error {
  override readonly name = 'WebhookFailed';
}

/** A request that did not get an answer. */
export interface FailedRequest {
  readonly host: string;
  readonly certificate: X509Certificate | undefined;
  readonly timedOut: boolean;
  readonly now: number;
}

type SystemError = NodeJS.ErrnoException & { readonly address?: string; readonly port?: number; readonly hostname?: string };

/** Why a request failed, in the words of Go's HTTP client where there are such. */
export function connectionProblem(error: unknown, request: FailedRequest): string {
  if (request.timedOut) return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  const { code = '', message = String(error), address, port, hostname } = error as Partial<SystemError>;
  const unverified = verificationProblem({ ...request, code });
  if (unverified !== undefined) return unverified;
  const dialed = `dial tcp ${address?.includes(':') ? `[${address}]` : address}:${port}`;
  if (code === 'ECONNREFUSED') return `${dialed}: connect: connection refused`;
  if (code === 'EHOSTUNREACH') return `${dialed}: connect: no route to host`;
  if (code === 'ENETUNREACH') return `${dialed}: connect: network is unreachable`;
  if (code === 'ETIMEDOUT') return `${dialed}: connect: connection timed out`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}${resolverText()}: no such host`;
  if (code === 'ECONNRESET' && !message.includes('ECONNRESET')) return 'EOF';
  if (code === 'EPROTO' && message.includes('wrong version number')) return 'http: server gave HTTP response to HTTPS client';
  return message;
}

function resolverText(): string {
  const [server] = getServers();
  if (server === undefined) return '';
  return ` on ${server.includes(':') ? server : `${server}:53`}`;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
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
export function statusProblem(answer: WebhookAnswer): string {
  const { status, contentType, body } = answer;
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
