import type { Delegate, Handler } from '../filters/filter.ts';
import { answerText } from '../http/respond.ts';

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
