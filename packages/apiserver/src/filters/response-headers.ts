import type { Answer } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import { type Filter, whenAnswered } from './filter.ts';

/** Adds the standard headers of a Kubernetes API server, and warnings. */
export function responseHeaders(): Filter {
  return function addHeaders(request, next) {
    return whenAnswered(next(request), (answer) => withHeaders(answer, request));
  };
}

function withHeaders(answer: Answer, request: IncomingRequest): Answer {
  if (answer.kind === 'taken-over') return answer;
  const headers: Record<string, string | readonly string[]> = {
    'audit-id': request.auditId,
    'cache-control': 'no-cache, private',
    ...request.flow,
    ...answer.headers,
  };
  const { warnings } = request;
  if (warnings.length > 0) headers.warning = warnings;
  return { ...answer, headers };
}
