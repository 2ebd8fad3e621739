import { Peak } from './peak.ts';
import type { Registry } from './registry.ts';

/** How many requests of a kind are being served, and how many wait to be. */
export interface LoadPeaks {
  readonly executing: Peak;
  readonly waiting: Peak;
}

export interface InFlightMetrics {
  readonly readOnly: LoadPeaks;
  readonly mutating: LoadPeaks;
}

export function inFlightMetrics(registry: Registry): InFlightMetrics {
  const executing = registry.gauge({
    name: 'apiserver_current_inflight_requests',
    help: '[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    labels: ['request_kind'],
  });
  const waiting = registry.gauge({
    name: 'apiserver_current_inqueue_requests',
    help: '[ALPHA] Maximal number of queued requests in this apiserver per request kind in last second.',
    labels: ['request_kind'],
  });
  const peaks = { readOnly: newPeaks(), mutating: newPeaks() };
  registry.beforeScrape(() => {
    for (const kind of ['readOnly', 'mutating'] as const) {
      executing.with({ request_kind: kind }).set(peaks[kind].executing.read());
      waiting.with({ request_kind: kind }).set(peaks[kind].waiting.read());
    }
  });
  return peaks;
}

function newPeaks(): LoadPeaks {
  return { executing: new Peak(), waiting: new Peak() };
}
