import type { Registry } from './prometheus/registry.ts';

/** Peaks of executing and waiting requests. */
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

/** The maximum of about the last second, because a scrape would miss short peaks. */
export class Peak {
  readonly #now: () => number;
  #second = 0;
  #value = 0;
  #highest = 0;
  #highestBefore = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  set(value: number): void {
    this.#turn();
    this.#value = value;
    if (value > this.#highest) this.#highest = value;
  }

  add(difference: number): void {
    this.set(this.#value + difference);
  }

  read(): number {
    this.#turn();
    return Math.max(this.#highest, this.#highestBefore);
  }

  /** Starts a new window after a second. */
  #turn(): void {
    const second = Math.floor(this.#now() / 1000);
    if (second === this.#second) return;
    this.#highestBefore = second === this.#second + 1 ? this.#highest : this.#value;
    this.#highest = this.#value;
    this.#second = second;
  }
}
