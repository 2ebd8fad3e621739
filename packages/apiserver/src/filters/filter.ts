import type { Answer } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import { requestInfo } from '../http/request-info.ts';
import { answerText } from '../http/respond.ts';

/** Gives an answer without waiting where it can: a request served from memory never leaves its turn of the loop. */
export type Handler = (request: IncomingRequest) => Answer | Promise<Answer>;

/** Looks at a request before the next one does, at its answer after, or answers by itself. */
export type Filter = (request: IncomingRequest, next: Handler) => Answer | Promise<Answer>;

/** Answers, or says by undefined that the path is not its own. */
export type Delegate = (request: IncomingRequest) => Answer | Promise<Answer> | undefined;

/** Sets `request.info`. */
export function withRequestInfo(): Filter {
  return function describe(request, next) {
    request.info = requestInfo(request.method, request.path, () => request.query);
    return next(request);
  };
}

/** The filters in the order in which they see a request; the handler comes last. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (request) => filter(request, next), handler);
}

/** Calls back with the answer, now or when it is there. */
export function whenAnswered(answer: Answer | Promise<Answer>, look: (answer: Answer) => Answer): Answer | Promise<Answer> {
  return answer instanceof Promise ? answer.then(look) : look(answer);
}

/** The first delegate that claims the path answers; what nobody claims is not there. */
export function delegation(delegates: readonly Delegate[]): Handler {
  return function delegate(request) {
    for (const candidate of delegates) {
      const answer = candidate(request);
      if (answer !== undefined) return answer;
    }
    return answerText(404, '404 page not found\n', { 'x-content-type-options': 'nosniff' });
  };
}
