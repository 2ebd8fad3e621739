import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import {
  answerText,
  escapedPath,
  forwardedHeaders,
  type IncomingRequest,
  proxiedResponseHeaders,
  queryOf,
} from '@tsukube/apiserver';
import type { Answer } from '@tsukube/transport';
import type { Connections } from './connections.ts';
import { forward, Unreachable } from './forward.ts';
import { identityHeaders, withoutIdentity } from './identity-headers.ts';
import type { RemoteApi } from './remote-api.ts';

const noSniff = { 'x-content-type-options': 'nosniff' };

/** An error of the aggregator itself, in plain text as Kubernetes has it. */
export function plainError(status: number, message: string): Answer {
  return answerText(status, `${message}\n`, noSniff);
}

export const serviceUnavailable = (): Answer => plainError(503, 'service unavailable');

/** Path and query at the backend, which are those of the request. */
export function targetOf({ path, exchange }: IncomingRequest): string {
  return `${escapedPath(path)}${queryOf(exchange.url)}`;
}

/** Forwards a request with the identity of its user, and the response, both as they arrive. Redirects are not followed. */
export async function proxyToBackend(request: IncomingRequest, api: RemoteApi, connections: Connections): Promise<Answer> {
  const { method, signal, exchange } = request;
  const backends = await connections.backendsOf(api).catch(() => undefined);
  if (!backends) return serviceUnavailable();
  const body = exchange.bodyStream();
  const headers = [...headersOf(request), ...framingOf(request, body)];
  try {
    const response = await forward(backends, { method, target: targetOf(request), headers, body, signal });
    return answerOf(response);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return plainError(503, `error trying to reach service: ${error.message}`);
  }
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

function answerOf(response: IncomingMessage): Answer {
  const { statusCode = 502, headers, rawHeaders } = response;
  if (statusCode >= 300 && statusCode <= 399 && headers.location) {
    response.destroy();
    return {
      kind: 'bytes',
      status: 502,
      type: 'text/plain; charset=utf-8',
      body: 'the backend attempted to redirect this request, which is not permitted',
    };
  }
  const length = headers['content-length'];
  return {
    kind: 'bytes',
    status: statusCode,
    type: headers['content-type'] ?? '',
    headers: proxiedResponseHeaders(rawHeaders),
    body: response,
    length: length === undefined ? undefined : Number(length),
    isProxied: true,
  };
}
