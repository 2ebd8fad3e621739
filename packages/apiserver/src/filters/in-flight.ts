import type { IncomingRequest } from '../http/api-request.ts';
import type { InFlightMetrics } from '../metrics/in-flight-metrics.ts';
import { isLongRunning, isReading } from '../routing/request-kind.ts';
import type { Filter } from './filter.ts';
import { InFlightLane, isPrivileged } from './in-flight-lane.ts';

export interface InFlightOptions {
  /** Most reading requests at one time; 0 for no limit. */
  readonly maxReadOnly: number;
  /** Most writing requests at one time; 0 for no limit. */
  readonly maxMutating: number;
  readonly requestTimeoutMs: number;
  readonly metrics: InFlightMetrics;
  /** Told of every request that is turned away. */
  readonly onRefused?: (request: IncomingRequest) => void;
}

/**
 * Limits how many requests are served at one time. Those beyond wait in a queue, and beyond that are turned away. What
 * is answered at once takes no place at all. Stands behind authentication: administrators are never turned away.
 */
export function inFlight(options: InFlightOptions): Filter {
  const { metrics, requestTimeoutMs, onRefused } = options;
  const reading = new InFlightLane({ limit: options.maxReadOnly, peaks: metrics.readOnly, requestTimeoutMs, onRefused });
  const writing = new InFlightLane({ limit: options.maxMutating, peaks: metrics.mutating, requestTimeoutMs, onRefused });
  return function admit(request, next) {
    const isHealth = isHealthCheck(request);
    if (isHealth || isPrivileged(request)) request.exchange.connection.isUrgent = true;
    if (isHealth || isLongRunning(request.info)) return next(request);
    return (isReading(request.info) ? reading : writing).serve(request, next);
  };
}

/** A server under load must still be able to say that it lives. */
function isHealthCheck({ info, path }: IncomingRequest): boolean {
  return !info.isResource && /^\/(healthz|livez|readyz)(\/|$)/.test(path);
}
