import { StatusError } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import type { Filter } from './filter.ts';

/** Ends a request that takes too long. Watches and connections that are taken over have limits of their own. */
export function deadline(timeoutMs: number, onTimeout: (request: IncomingRequest) => void = () => {}): Filter {
  return function limitTime(request, next) {
    // Read before anything is done: a wrong timeout must not be noticed when the write is under way.
    const limit = request.exchange.url.includes('timeout=') ? askedFor(request.query.get('timeout'), timeoutMs) : timeoutMs;
    request.timeoutMs = limit;
    const answer = next(request);
    if (!(answer instanceof Promise) || request.info.verb === 'watch') return answer;
    return withTimeout(answer, limit, () => {
      request.cancel();
      onTimeout(request);
    });
  };
}

function withTimeout(answer: Promise<Answer>, timeoutMs: number, cancel: () => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      cancel();
      reject(StatusError.timeout('request did not complete within the allotted timeout'));
    }, timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A client may ask for less time, never for more. */
function askedFor(timeout: string | null, most: number): number {
  if (!timeout) return most;
  const match = /^(\d+(?:\.\d+)?)(h|m|s|ms)$/.exec(timeout);
  if (!match) throw StatusError.badRequest(`invalid timeout specified in the request URL - ${timeout}`);
  return Math.min(most, Number(match[1]) * (units[match[2] as string] as number));
}
