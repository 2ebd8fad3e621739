import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { StatusError } from '@tsukube/machinery';
import type { Answer, BytesAnswer } from '@tsukube/transport';
import type { ApiRequest } from '../http/api-request.ts';
import { type Backend, startRequest } from './backend.ts';
import { escapedPath, LinkRewriter, queryOf, rewrittenBody } from './link-rewriting.ts';
import { forwardedHeaders, proxiedResponseHeaders } from './proxy-headers.ts';

/**
 * Forwards a request, and its response back, both as they arrive. `path` is the decoded path at the backend. Links to the backend in
 * responses are changed to lead through this server. Redirects are passed on, not followed.
 */
export function proxyRequest(request: ApiRequest, backend: Backend, path: string): Promise<Answer> {
  const { method, exchange } = request;
  if (path === '' && (method === 'GET' || method === 'HEAD')) return Promise.resolve(redirectToSlash(request));
  const encoded = escapedPath(path);
  const prepended = request.path.endsWith(path) ? request.path.slice(0, request.path.length - path.length) : request.path;
  const links = new LinkRewriter(prepended, backend, exchange.header('host') ?? '');
  const target = `${encoded === '' ? '/' : encoded}${queryOf(exchange.url)}`;
  const headers = forwardedHeaders(request, { 'x-forwarded-uri': links.forwardedUri(encoded) });
  return send(request, backend, target, headers).then((response) => answerWith(response, links));
}

function send(request: ApiRequest, backend: Backend, target: string, headers: readonly string[]): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, signal, exchange } = request;
    const body = exchange.bodyStream();
    const fail = (problem: string) => {
      body?.destroy();
      reject(StatusError.serviceUnavailable(`error trying to reach service: ${problem}`));
    };
    const framing = exchange.header('content-length') === undefined ? framingOf(body, method) : [];
    const sent = startRequest(backend, { method, target, headers: [...headers, ...framing], signal }, fail);
    sent.once('response', (response) => {
      response.once('close', () => sent.destroy());
      resolve(response);
    });
    sendBody(body, sent);
  });
}

function framingOf(body: Readable | undefined, method: string): readonly string[] {
  if (body) return ['transfer-encoding', 'chunked'];
  return method === 'GET' || method === 'HEAD' ? [] : ['content-length', '0'];
}

function sendBody(body: Readable | undefined, sent: NodeJS.WritableStream & { destroy(error?: Error): void }): void {
  if (!body) return void sent.end();
  body.once('error', (error) => sent.destroy(error));
  body.pipe(sent);
}

function answerWith(response: IncomingMessage, links: LinkRewriter): BytesAnswer {
  const { statusCode = 502, rawHeaders } = response;
  const headers = { ...proxiedResponseHeaders(rawHeaders) };
  const type = response.headers['content-type'] ?? '';
  const { location } = response.headers;
  const common = { kind: 'bytes', status: statusCode, type, isProxied: true } as const;
  if (location !== undefined && location !== '') {
    headers.location = links.rewritten(location);
    return { ...common, headers, body: response, length: lengthOf(response) };
  }
  const body = type.split(';', 1)[0]?.trim() === 'text/html' ? rewrittenBody(response, links) : response;
  return { ...common, headers, body, length: body === response ? lengthOf(response) : undefined };
}

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const text = headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

/** Relative links of a page need the slash behind its directory. */
function redirectToSlash({ path, exchange }: ApiRequest): Answer {
  const headers = { location: `${path}/${queryOf(exchange.url)}` };
  return { kind: 'bytes', status: 301, type: '', body: '', headers };
}
