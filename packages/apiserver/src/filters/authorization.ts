import type { Answer } from '@tsukube/transport';
import type { Authorizer, Verdict } from '../authorization/authorizer.ts';
import { forbiddenError, RequestAccess, withoutMarkup } from '../authorization/request-access.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import { answerText } from '../http/respond.ts';
import type { Filter, Handler } from './filter.ts';

const decisionKey = 'authorization.k8s.io/decision';
const reasonKey = 'authorization.k8s.io/reason';

/** Passes requests that the authorizer allows. No opinion means forbidden. */
export function authorization(authorizer: Authorizer, count?: (verdict: Verdict) => void): Filter {
  return function authorize(request, next) {
    const access = new RequestAccess(request);
    const verdict = authorizer.authorize(access);
    if (verdict instanceof Promise) {
      return verdict.then((late) => {
        count?.(late);
        return decided(request, access, late, next);
      });
    }
    count?.(verdict);
    return decided(request, access, verdict, next);
  };
}

function decided(request: IncomingRequest, access: RequestAccess, verdict: Verdict, next: Handler): Answer | Promise<Answer> {
  const { decision, reason, error } = verdict;
  if (decision === 'allow') {
    request.annotate(decisionKey, 'allow');
    request.annotate(reasonKey, reason);
    return next(request);
  }
  if (error !== undefined) {
    request.annotate(reasonKey, 'internal error');
    return failed(request, error);
  }
  request.annotate(decisionKey, 'forbid');
  request.annotate(reasonKey, reason);
  throw forbiddenError(access, reason);
}

/** The authorizer failed. Kubernetes answers in plain text. */
export function failed(request: IncomingRequest, error: string): Answer {
  return answerText(500, withoutMarkup(`Internal Server Error: ${JSON.stringify(request.exchange.url)}: ${error}\n`));
}
