import { goRegExp } from '@tsukube/machinery';
import type { Answer, AnswerHeaders } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import { type Filter, whenAnswered } from './filter.ts';

/** Adds the standard headers of a Kubernetes API server, and warnings. */
export function responseHeaders(): Filter {
  return function addHeaders(request, next) {
    return whenAnswered(next(request), (answer) => withStandardHeaders(answer, request));
  };
}

function withStandardHeaders(answer: Answer, request: IncomingRequest): Answer {
  if (answer.kind === 'taken-over') return answer;
  const standard = { 'audit-id': request.auditId, 'cache-control': 'no-cache, private', ...request.flow };
  const isProxied = answer.kind === 'bytes' && answer.isProxied;
  const headers: Record<string, string | readonly string[]> = isProxied
    ? joined(standard, answer.headers)
    : { ...standard, ...answer.headers };
  const { warnings } = request;
  if (warnings.length > 0) headers.warning = warnings;
  return { ...answer, headers };
}

/** The fields of both, also those of the same name. */
function joined(first: AnswerHeaders, second: AnswerHeaders = {}): Record<string, string | readonly string[]> {
  const all: Record<string, string | readonly string[]> = { ...first };
  for (const [name, value] of Object.entries(second))
    all[name] = Object.hasOwn(first, name) ? ([all[name], value].flat() as string[]) : value;
  return all;
}

const allowed: AnswerHeaders = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

/**
 * Adds CORS headers for allowed origins: regular expressions in Go's syntax, matched anywhere in the Origin header. Answers
 * preflight requests, before authentication.
 */
export function cors(origins: readonly string[]): Filter {
  const patterns = origins.map((origin) => goRegExp(origin));
  return function allowOrigins(request, next) {
    const origin = request.exchange.header('origin');
    if (origin === undefined || !patterns.some((pattern) => pattern.matches(origin))) return next(request);
    const headers = { 'access-control-allow-origin': origin, ...allowed };
    if (request.exchange.method === 'OPTIONS') return { kind: 'bytes', status: 204, type: '', body: '', headers };
    return whenAnswered(next(request), (answer) => withHeaders(answer, headers));
  };
}

/** Adds headers to every response that does not set them. */
export function fixedHeaders(headers: AnswerHeaders): Filter {
  return function addFixedHeaders(request, next) {
    return whenAnswered(next(request), (answer) => withHeaders(answer, headers));
  };
}

function withHeaders(answer: Answer, headers: AnswerHeaders): Answer {
  return answer.kind === 'taken-over' ? answer : { ...answer, headers: { ...headers, ...answer.headers } };
}
