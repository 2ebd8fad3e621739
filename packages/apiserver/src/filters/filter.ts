import type { Answer } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import { requestInfo } from '../http/request-info.ts';
import { answerText } from '../http/respond.ts';

/** Answers synchronously if it can: a request served from memory completes within its turn of the event loop. */
export type Handler = (request: IncomingRequest) => Answer | Promise<Answer>;

/** Sees a request before the next handler and its answer after it, or answers itself. */
export type Filter = (request: IncomingRequest, next: Handler) => Answer | Promise<Answer>;

/** Answers, or returns undefined if the path is not its own. */
export type Delegate = (request: IncomingRequest) => Answer | Promise<Answer> | undefined;

/** Sets `request.info`. */
export function withRequestInfo(): Filter {
  return function describe(request, next) {
    request.info = requestInfo(request.method, request.path, () => request.query);
    return next(request);
  };
}

/** Composes filters, in request order, and the handler. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (request) => filter(request, next), handler);
}

/** Maps an answer, now or when its promise resolves. */
export function whenAnswered(answer: Answer | Promise<Answer>, look: (answer: Answer) => Answer): Answer | Promise<Answer> {
  return answer instanceof Promise ? answer.then(look) : look(answer);
}

/** The first delegate that claims the path answers; otherwise 404. */
export function delegation(delegates: readonly Delegate[]): Handler {
  return function delegate(request) {
    for (const candidate of delegates) {
      const answer = candidate(request);
      if (answer !== undefined) return answer;
    }
    return pageNotFound();
  };
}

/** The answer for a path that nobody serves. */
export function pageNotFound(): Answer {
  return answerText(404, '404 page not found\n', { 'x-content-type-options': 'nosniff' });
}
