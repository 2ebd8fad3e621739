import type { IncomingRequest } from '../http/api-request.ts';
import type { Filter } from './filter.ts';

const exemptPaths = ['/readyz', '/livez', '/healthz', '/metrics'];
const retryAfterSeconds = 5;

export interface Draining {
  readonly filter: Filter;
  /** Rejects new requests with 429 and Retry-After, so that clients use another server. */
  begin(): void;
  /** Resolves when all accepted requests are answered. Streams count until they begin. */
  readonly drained: () => Promise<void>;
}

/** Rejects requests during a shutdown, except for probes, metrics and requests of API servers themselves. */
export function draining(): Draining {
  let refusing = false;
  let pending = 0;
  let onDrained = (): void => {};
  const ended = (): void => {
    pending--;
    if (pending === 0) onDrained();
  };
  return {
    begin: () => {
      refusing = true;
    },
    drained: () =>
      new Promise((resolve) => {
        onDrained = resolve;
        if (pending === 0) resolve();
      }),
    filter: function refuseWhileDraining(request, next) {
      if (isExempt(request)) return next(request);
      if (refusing) return refusal;
      pending++;
      const answer = next(request);
      if (answer instanceof Promise) return answer.finally(ended);
      ended();
      return answer;
    },
  };
}

const refusal = {
  kind: 'bytes',
  status: 429,
  type: 'text/plain; charset=utf-8',
  body: 'The apiserver is shutting down, please try again later.\n',
  closesConnection: true,
  headers: { 'retry-after': String(retryAfterSeconds), 'x-content-type-options': 'nosniff' },
} as const;

function isExempt(request: IncomingRequest): boolean {
  if (exemptPaths.some((path) => request.path.startsWith(path))) return true;
  return request.exchange.header('user-agent')?.startsWith('kube-apiserver/') === true;
}
