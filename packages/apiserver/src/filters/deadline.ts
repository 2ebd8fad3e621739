import { GoDurationError, goDurationMs, StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import { isLongRunning, isReadOnly } from '../http/request-info.ts';
import type { Filter } from './filter.ts';

/** The verbs for which kube-apiserver has a shorter limit. */
const boundedVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);
const verbLimitMs = 34_000;

const exceeded = 'request did not complete within the allotted timeout';
const verbExceeded = 'request did not complete within requested timeout - context deadline exceeded';

/** Ends requests at their deadline. Long-running requests have none, and their `timeout` is ignored. */
export function deadline(timeoutMs: number, onTimeout: (request: IncomingRequest) => void = () => {}): Filter {
  return function limitTime(request, next) {
    if (isLongRunning(request.info)) return next(request);
    // Parsed before the handler runs: an invalid timeout must not fail a write that has begun.
    const limit = request.exchange.url.includes('timeout=')
      ? requestedTimeout(request.query.get('timeout'), timeoutMs)
      : timeoutMs;
    request.timeoutMs = limit;
    const answer = next(request);
    if (!(answer instanceof Promise)) return answer;
    const isBounded = limit > verbLimitMs && request.info.isResource && boundedVerbs.has(request.info.verb);
    return withTimeout(answer, isBounded ? verbLimitMs : limit, isBounded ? verbExceeded : exceeded, () => {
      request.cancel();
      onTimeout(request);
    });
  };
}

function withTimeout(answer: Promise<Answer>, timeoutMs: number, message: string, cancel: () => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      cancel();
      reject(StatusError.timeout(message));
    }, timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Clients may shorten the limit, not extend it. Zero and negative durations mean the server's limit. */
function requestedTimeout(text: string | null, limit: number): number {
  if (!text) return limit;
  const requested = parseTimeout(text);
  return requested > 0 ? Math.min(limit, requested) : limit;
}

function parseTimeout(text: string): number {
  try {
    return goDurationMs(text);
  } catch (error) {
    if (!(error instanceof GoDurationError)) throw error;
    throw StatusError.badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}

/** Calls back when a writing request is cancelled: its client is gone, or its deadline has passed. */
export function cancellation(onCancelled: () => void): Filter {
  return function observeCancellation(request, next) {
    if (!isReadOnly(request.info)) request.onCancel = onCancelled;
    return next(request);
  };
}
