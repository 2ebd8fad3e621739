import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from './registry.ts';

const resolutionMs = 20;
const quantiles = [0.5, 0.9, 0.99];

/** What this runtime has and Go has not. The returned function ends the measuring. */
export function runtimeMetrics(registry: Registry): () => void {
  memoryMetrics(registry);
  loopActivity(registry);
  return loopDelay(registry);
}

function memoryMetrics(registry: Registry): void {
  const memory = registry.gauge({
    name: 'tsukube_memory_bytes',
    help: 'Memory of the JavaScript engine by kind: heap in use, heap reserved, and buffers outside of it.',
    labels: ['kind'],
  });
  registry.beforeScrape(() => {
    const { heapUsed, heapTotal, external } = process.memoryUsage();
    memory.with({ kind: 'heap_used' }).set(heapUsed);
    memory.with({ kind: 'heap_total' }).set(heapTotal);
    memory.with({ kind: 'external' }).set(external);
  });
}

function loopActivity(registry: Registry): void {
  const active = registry
    .counter({
      name: 'tsukube_event_loop_active_seconds_total',
      help: 'Time the event loop was busy; its rate is the utilization.',
    })
    .with({});
  registry.beforeScrape(() => active.raiseTo(performance.eventLoopUtilization().active / 1000));
}

/** Begins with the first scrape: measuring wakes the process many times a second, which nobody may be interested in. */
function loopDelay(registry: Registry): () => void {
  const delay = registry.gauge({
    name: 'tsukube_event_loop_delay_seconds',
    help: 'How late the event loop came to its timers since the last scrape; quantile 1 is the latest.',
    labels: ['quantile'],
  });
  let monitor: IntervalHistogram | undefined;
  registry.beforeScrape(() => {
    if (!monitor) {
      monitor = monitorEventLoopDelay({ resolution: resolutionMs });
      monitor.enable();
      return;
    }
    if (monitor.count === 0) return;
    for (const quantile of quantiles) delay.with({ quantile: String(quantile) }).set(late(monitor.percentile(quantile * 100)));
    delay.with({ quantile: '1' }).set(late(monitor.max));
    monitor.reset();
  });
  return () => monitor?.disable();
}

/** The monitor gives the time between two of its timers, in nanoseconds. */
function late(interval: number): number {
  return Math.max(0, interval / 1e9 - resolutionMs / 1000);
}
