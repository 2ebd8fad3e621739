import { requestInfo } from '../routing/request-info.ts';
import type { Filter } from './filter.ts';

/** Says what the request is about, for all that follow. */
export function withRequestInfo(): Filter {
  return function describe(request, next) {
    request.info = requestInfo(request.method, request.path, () => request.query);
    return next(request);
  };
}
