import type { Answer } from '../http/answer.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import { type Filter, whenAnswered } from './filter.ts';

/** The headers that every answer of a Kubernetes API server carries, and the warnings that were gathered on the way. */
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
    ...answer.headers,
  };
  if (request.warnings.length > 0) headers.warning = request.warnings.map(warningHeader);
  return { ...answer, headers };
}

const maxWarningLength = 4096;

/** RFC 7234: code 299, no agent, the text quoted and without line breaks. */
function warningHeader(text: string): string {
  const clean = [...text].map((c) => (c < ' ' || c > '~' ? ' ' : c)).join('');
  return `299 - "${clean.slice(0, maxWarningLength).replace(/(["\\])/g, '\\$1')}"`;
}
