import type { Readable } from 'node:stream';
import { asTransportProblem, connectionProblem, type NetworkAddress, OutboundError } from '@tsukube/apiserver';
import type { StreamedResponse } from '@tsukube/transport';
import type { Route } from './connections.ts';

/** A request for any of several addresses. */
export interface ForwardedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names and values alternate; without Host. */
  readonly headers: readonly string[];
  readonly body?: Readable | undefined;
  readonly isChunked?: boolean;
  readonly signal: AbortSignal;
}

/** No backend answered. The message is Go's text for the last failure. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

const connectTimeoutMs = 30_000;
/** If there are other addresses to try. */
const shortConnectTimeoutMs = 3000;

/**
 * Resolves with the response of the first address that answers. The next one is tried if no connection was made, and reads also if
 * the connection broke before the response. A read is tried at least twice.
 */
export async function forward(route: Route, request: ForwardedRequest): Promise<StreamedResponse> {
  try {
    return await firstResponse(route, request);
  } catch (error) {
    request.body?.destroy();
    throw error;
  }
}

async function firstResponse(route: Route, request: ForwardedRequest): Promise<StreamedResponse> {
  const { addresses } = route;
  const candidates = addresses.length === 1 && isRead(request) ? [...addresses, ...addresses] : addresses;
  const fields = fieldLines(request.headers);
  for (const [i, address] of candidates.entries()) {
    const isLast = i === candidates.length - 1;
    try {
      const response = await attempt(route, address, request, fields, i < addresses.length - 1);
      route.report(address, true);
      return response;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const { wasConnected } = error;
      if (!request.signal.aborted) route.report(address, wasConnected);
      if (isLast || request.signal.aborted || (wasConnected && !isRead(request)))
        throw new Unreachable(problemOf(error, address, route.serverName));
    }
  }
  throw new Unreachable('no endpoints available');
}

function isRead({ method, body }: ForwardedRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && body === undefined;
}

function attempt(
  { client, serverName }: Route,
  { host, port }: NetworkAddress,
  { method, target, body, isChunked = false, signal }: ForwardedRequest,
  fields: string,
  hasAlternative: boolean,
): Promise<StreamedResponse> {
  return client.open({
    destination: { isSecure: true, host, port, servername: serverName },
    head: `${method} ${target} HTTP/1.1\r\nhost: ${hostOf(host)}:${port}\r\n${fields}\r\n`,
    body,
    isChunked,
    isHead: method === 'HEAD',
    connectTimeoutMs: hasAlternative ? shortConnectTimeoutMs : connectTimeoutMs,
    signal,
  });
}

function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

const invalidValue = /[^\t -~\u0080-\u00ff]/;

/** Throws Unreachable with Go's text if a value would end the line. */
function fieldLines(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const { [i]: name = '', [i + 1]: value = '' } = headers;
    if (invalidValue.test(value)) throw new Unreachable(`net/http: invalid header field value for ${JSON.stringify(name)}`);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

function problemOf(error: OutboundError, { host, port }: NetworkAddress, serverName: string): string {
  const { code } = error.cause as NodeJS.ErrnoException;
  if (code === 'ABORT_ERR') return 'context canceled';
  if (error.timedOut) return `dial tcp ${hostOf(host)}:${port}: i/o timeout`;
  return asTransportProblem(connectionProblem(error, serverName));
}
