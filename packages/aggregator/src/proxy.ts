import { Readable } from 'node:stream';
import {
  answerText,
  escapedPath,
  forwardedHeaders,
  type IncomingRequest,
  proxiedResponseHeaders,
  queryOf,
} from '@tsukube/apiserver';
import { Deadline } from '@tsukube/client';
import type { Answer, StreamedResponse } from '@tsukube/transport';
import type { Connections, Route } from './connections.ts';
import { forward, Unreachable } from './forward.ts';
import { identityHeaders, withoutIdentity } from './identity-headers.ts';
import { admitted } from './in-flight.ts';
import type { RemoteApi } from './remote-api.ts';

const noSniff = { 'x-content-type-options': 'nosniff' };
/** Discovery is a cheap request that all clients wait for. */
const discoveryTimeoutMs = 5000;

/** An error of the aggregator itself, in plain text as Kubernetes has it. */
export function plainError(status: number, message: string): Answer {
  return answerText(status, `${message}\n`, status === 429 ? { ...noSniff, 'retry-after': '1' } : noSniff);
}

export const serviceUnavailable = (): Answer => plainError(503, 'service unavailable');

/** Path and query at the backend, which are those of the request. */
export function targetOf({ path, exchange }: IncomingRequest): string {
  return `${escapedPath(path)}${queryOf(exchange.url)}`;
}

/** Forwards a request with the identity of its user, and the response, both as they arrive. Redirects are not followed. */
export async function proxyToBackend(request: IncomingRequest, api: RemoteApi, connections: Connections): Promise<Answer> {
  const route = await routeTo(api, connections);
  if (!route) return serviceUnavailable();
  const { method, exchange } = request;
  const body = exchange.bodyStream();
  const framing = framingOf(request, body);
  const headers = [...headersOf(request), ...framing];
  // The work is done elsewhere: a slow backend keeps no seats of flow control.
  request.onDelegated?.();
  try {
    const target = targetOf(request);
    const isChunked = framing[0] === 'transfer-encoding';
    const forwarded = { method, target, headers, body, isChunked, signal: signalOf(request) };
    const response = await admitted(route.inFlight, () => forward(route, forwarded));
    return response ? answerOf(response, method) : tooManyRequests(body);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return plainError(503, `error trying to reach service: ${error.message}`);
  }
}

/** Undefined if the Service has no address. */
export async function routeTo(api: RemoteApi, connections: Connections): Promise<Route | undefined> {
  try {
    return await connections.routeTo(api);
  } catch {
    return undefined;
  }
}

function tooManyRequests(body: Readable | undefined): Answer {
  body?.destroy();
  return plainError(429, 'too many requests wait for the backend');
}

/** `/apis/GROUP/VERSION` is the only path of three parts. */
function signalOf({ info, path, signal }: IncomingRequest): AbortSignal {
  const isDiscovery = !info.isResource && path.split('/').filter(Boolean).length === 3;
  return isDiscovery ? new Deadline(signal, discoveryTimeoutMs).signal : signal;
}

/** Headers for the backend, but for Host and framing. */
function headersOf(request: IncomingRequest): readonly string[] {
  const forwarded = forwardedHeaders(request, { 'x-forwarded-uri': escapedPath(request.path), 'audit-id': request.auditId });
  return [...withoutIdentity(forwarded), ...identityHeaders(request.user)];
}

function framingOf({ method, exchange }: IncomingRequest, body: Readable | undefined): readonly string[] {
  if (exchange.header('content-length') !== undefined) return [];
  if (body) return ['transfer-encoding', 'chunked'];
  return method === 'GET' || method === 'HEAD' ? [] : ['content-length', '0'];
}

function answerOf({ status, headers, raw, body }: StreamedResponse, method: string): Answer {
  if (status < 200) {
    if (body instanceof Readable) body.destroy();
    return plainError(503, `error trying to reach service: unexpected response: status code ${status}`);
  }
  if (status >= 300 && status <= 399 && headers.get('location')) {
    if (body instanceof Readable) body.destroy();
    return {
      kind: 'bytes',
      status: 502,
      type: 'text/plain; charset=utf-8',
      body: 'the backend attempted to redirect this request, which is not permitted',
    };
  }
  const length = headers.get('content-length');
  return {
    kind: 'bytes',
    status,
    type: headers.get('content-type') ?? '',
    headers: proxiedResponseHeaders(raw),
    // The length of the response to HEAD is not that of its body.
    body: method === 'HEAD' ? [] : body,
    length: length === undefined ? undefined : Number(length),
    isProxied: true,
  };
}
