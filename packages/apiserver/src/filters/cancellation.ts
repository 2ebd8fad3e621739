import { isReading } from '../routing/request-kind.ts';
import type { Filter } from './filter.ts';

/** Calls back when a request that may write is cancelled: its client is gone, or its deadline has passed. */
export function cancellation(onCancelled: () => void): Filter {
  return function noticeCancellation(request, next) {
    if (!isReading(request.info)) request.onCancel = onCancelled;
    return next(request);
  };
}
