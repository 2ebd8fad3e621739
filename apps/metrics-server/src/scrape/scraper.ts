import { setMaxListeners } from 'node:events';
import { Deadline, type Metrics, type Timing } from '@tsukube/client';
import { type AddressOptions, type KubeletNode, kubeletAddress } from '../kubelet/kubelet-address.ts';
import type { KubeletClient } from '../kubelet/kubelet-client.ts';
import type { MetricsStore } from '../storage/metrics-store.ts';
import { Lane } from './lane.ts';

export interface ScraperOptions {
  readonly nodes: () => Iterable<KubeletNode>;
  readonly store: MetricsStore;
  readonly kubelets: KubeletClient;
  readonly addresses: AddressOptions;
  /** Length of a period. */
  readonly resolutionMs: number;
  /** For one kubelet. */
  readonly requestTimeoutMs: number;
  readonly timing: Timing;
  readonly metrics: Metrics;
  /** A kubelet failed that answered in the period before. */
  readonly onFailure?: (node: string, error: Error) => void;
  /** Requests at the same time: to kubelets that answered in the last period, and to those that did not. 100 and 50 by default. */
  readonly concurrency?: { readonly healthy: number; readonly failing: number };
}

/** Requests are spread over this long, as in metrics-server: 8 ms for each node, 4 seconds at most. */
const spreadPerNodeMs = 8;
const maxSpreadMs = 4_000;

/** Usage needs two scrapes: the second one follows the first after this long. */
const firstPeriodMs = 2_000;

/** Scrapes all kubelets once in a period. A kubelet that fails loses the figures of its node, and delays no other. */
export class Scraper {
  readonly #options: ScraperOptions;
  readonly #metrics: ScrapeMetrics;
  #failing = new Set<string>();
  #began: number | undefined;

  constructor(options: ScraperOptions) {
    this.#options = options;
    this.#metrics = new ScrapeMetrics(options.metrics);
  }

  /** Whether the last period began in time. */
  get isTimely(): boolean {
    const { timing, resolutionMs } = this.#options;
    return this.#began === undefined || timing.monotonic() - this.#began <= 1.5 * resolutionMs;
  }

  /** Scrapes until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { timing, resolutionMs } = this.#options;
    for (let period = 0; !signal.aborted; period++) {
      const began = timing.monotonic();
      this.#began = began;
      await this.scrape(signal);
      const length = period === 0 ? Math.min(firstPeriodMs, resolutionMs) : resolutionMs;
      const left = length - (timing.monotonic() - began);
      await timing.sleep(Math.max(0, left), signal).catch(() => {});
    }
  }

  /** One period. Kubelets without an answer at its end have failed. */
  async scrape(signal: AbortSignal): Promise<void> {
    const { nodes, store, resolutionMs, timing, concurrency = { healthy: 100, failing: 50 } } = this.#options;
    const targets = [...nodes()].map((node) => ({ node, name: node.metadata.name ?? '' }));
    store.retain(new Set(targets.map(({ name }) => name)));
    const began = timing.monotonic();
    const deadline = new Deadline(signal, resolutionMs);
    const period = deadline.signal;
    setMaxListeners(0, period);
    const lanes = { healthy: new Lane(concurrency.healthy), failing: new Lane(concurrency.failing) };
    const failed = new Set<string>();
    const spreadMs = Math.min(spreadPerNodeMs * targets.length, maxSpreadMs);
    await Promise.all(
      targets.map(async ({ node, name }) => {
        const lane = this.#failing.has(name) ? lanes.failing : lanes.healthy;
        const isDone = await timing
          .sleep(timing.random() * spreadMs, period)
          .then(() => lane.run(() => this.#scrapeNode(node, name, period), period))
          .catch(() => false);
        if (!isDone) failed.add(name);
        if (!isDone && !signal.aborted) store.drop(name);
      }),
    );
    deadline.clear();
    this.#failing = failed;
    this.#metrics.period((timing.monotonic() - began) / 1000, store.points());
  }

  async #scrapeNode(node: KubeletNode, name: string, period: AbortSignal): Promise<boolean> {
    const { kubelets, store, addresses, requestTimeoutMs, timing, onFailure } = this.#options;
    const began = timing.monotonic();
    const deadline = new Deadline(period, requestTimeoutMs);
    const { signal } = deadline;
    try {
      store.store(name, await kubelets.scrape(kubeletAddress(node, addresses), signal));
      this.#metrics.request(true, (timing.monotonic() - began) / 1000);
      return true;
    } catch (error) {
      this.#metrics.request(false, (timing.monotonic() - began) / 1000);
      const late = () => new Error(`no answer in time: the limit is ${requestTimeoutMs} ms`, { cause: error });
      if (!this.#failing.has(name)) onFailure?.(name, signal.aborted ? late() : (error as Error));
      return false;
    } finally {
      deadline.clear();
    }
  }
}

/** The names of metrics-server's own metrics, without its label for the node: 1,000 nodes would be 12,000 series. */
class ScrapeMetrics {
  readonly #requests;
  readonly #durations;
  readonly #ticks;
  readonly #points;

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter('metrics_server_kubelet_request_total', 'Number of requests sent to Kubelet API');
    this.#durations = metrics.histogram(
      'metrics_server_kubelet_request_duration_seconds',
      'Duration of requests to Kubelet API in seconds',
    );
    this.#ticks = metrics.histogram(
      'metrics_server_manager_tick_duration_seconds',
      'The total time spent collecting and storing metrics in seconds.',
      [0.1, 0.5, 1, 2.5, 5, 7.5, 10, 15, 30, 60],
    );
    this.#points = metrics.gauge('metrics_server_storage_points', 'Number of metrics points stored.');
  }

  request(isSuccess: boolean, seconds: number): void {
    this.#requests.inc({ success: String(isSuccess) });
    this.#durations.observe(seconds);
  }

  period(seconds: number, { nodes, containers }: { readonly nodes: number; readonly containers: number }): void {
    this.#ticks.observe(seconds);
    this.#points.set(nodes, { type: 'node' });
    this.#points.set(containers, { type: 'container' });
  }
}
