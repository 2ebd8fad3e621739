import { readdirSync, readFileSync } from 'node:fs';
import {
  constants,
  createHistogram,
  type PerformanceEntry,
  PerformanceObserver,
  type RecordableHistogram,
} from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { VersionInfo } from '../delegates/pages.ts';
import type { Registry } from './prometheus/registry.ts';
import type { GaugeSeries, HistogramSeries } from './prometheus/series.ts';

const bytesPerKilobyte = 1024;

export function processStartTime(registry: Registry): void {
  const started = Date.now() / 1000 - process.uptime();
  registry
    .gauge({ name: 'process_start_time_seconds', help: 'Start time of the process since unix epoch in seconds.' })
    .with({})
    .set(started);
}

/** Standard process metrics of Prometheus client libraries. */
export function processMetrics(registry: Registry): void {
  processStartTime(registry);
  const cpu = registry
    .counter({ name: 'process_cpu_seconds_total', help: 'Total user and system CPU time spent in seconds.' })
    .with({});
  const memory = registry.gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory size in bytes.' }).with({});
  registry.beforeScrape(() => {
    const { user, system } = process.cpuUsage();
    cpu.raiseTo((user + system) / 1e6);
    memory.set(process.memoryUsage.rss());
  });
  if (process.platform === 'linux') linuxMetrics(registry);
}

function linuxMetrics(registry: Registry): void {
  const open = registry.gauge({ name: 'process_open_fds', help: 'Number of open file descriptors.' }).with({});
  const most = registry.gauge({ name: 'process_max_fds', help: 'Maximum number of open file descriptors.' }).with({});
  const virtual = registry.gauge({ name: 'process_virtual_memory_bytes', help: 'Virtual memory size in bytes.' }).with({});
  registry.beforeScrape(() => {
    open.set(readdirSync('/proc/self/fd').length);
    most.set(numberIn('/proc/self/limits', /^Max open files\s+(\d+)/m));
    virtual.set(numberIn('/proc/self/status', /^VmSize:\s+(\d+) kB/m) * bytesPerKilobyte);
  });
}

function numberIn(path: string, pattern: RegExp): number {
  return Number(pattern.exec(readFileSync(path, 'latin1'))?.[1] ?? Number.NaN);
}

export function buildInfo(registry: Registry, version: VersionInfo): void {
  const labels = {
    major: version.major,
    minor: version.minor,
    git_version: version.gitVersion,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    build_date: version.buildDate,
    go_version: version.goVersion,
    compiler: version.compiler,
    platform: version.platform,
  };
  const info = registry.gauge({
    name: 'kubernetes_build_info',
    help: "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    labels: Object.keys(labels) as (keyof typeof labels)[],
  });
  info.with(labels).set(1);
}

/** Metrics of Node.js, under prom-client's names where it has one. */
export interface RuntimeMetrics {
  /** Records timer lag of the event loop. */
  lagged(ms: number): void;
  /** Records a stall of the event loop. */
  stalled(ms: number): void;
  /** Stops observing garbage collection. */
  close(): void;
}

export function runtimeMetrics(registry: Registry): RuntimeMetrics {
  heapMetrics(registry);
  loopUtilization(registry);
  const lagged = loopLag(registry);
  const stalls = registry.histogram({
    name: 'tsukube_event_loop_stall_seconds',
    help: 'Stalls of the event loop of more than 100 ms.',
    bounds: [0.2, 0.5, 1, 2, 5, 10, 30],
  });
  return { lagged, stalled: (ms) => stalls.with({}).observe(ms / 1000), close: collectionPauses(registry) };
}

function heapMetrics(registry: Registry): void {
  const gauge = (name: string, help: string): GaugeSeries => registry.gauge({ name, help }).with({});
  const used = gauge('nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.');
  const total = gauge('nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.');
  const limit = gauge('nodejs_heap_size_limit_bytes', 'Heap size at which the process ends for want of memory, in bytes.');
  const external = gauge('nodejs_external_memory_bytes', 'Node.js external memory size in bytes.');
  const buffers = gauge(
    'nodejs_array_buffers_bytes',
    'Memory of ArrayBuffers and Buffers, part of the external memory, in bytes.',
  );
  registry.beforeScrape(() => {
    const memory = process.memoryUsage();
    used.set(memory.heapUsed);
    total.set(memory.heapTotal);
    limit.set(getHeapStatistics().heap_size_limit);
    external.set(memory.external);
    buffers.set(memory.arrayBuffers);
  });
}

function loopUtilization(registry: Registry): void {
  const active = registry
    .counter({
      name: 'tsukube_event_loop_active_seconds_total',
      help: 'Time the event loop was busy; its rate is the utilization.',
    })
    .with({});
  const utilization = registry
    .gauge({
      name: 'nodejs_eventloop_utilization',
      help: 'Share of the time since the last scrape in which the event loop was busy.',
    })
    .with({});
  let last = performance.eventLoopUtilization();
  registry.beforeScrape(() => {
    const now = performance.eventLoopUtilization();
    active.raiseTo(now.active / 1000);
    utilization.set(performance.eventLoopUtilization(now, last).utilization);
    last = now;
  });
}

const lagStatistics: readonly (readonly [name: string, help: string, of: (lags: RecordableHistogram) => number])[] = [
  ['min', 'The minimum recorded event loop delay.', (lags) => lags.min],
  ['max', 'The maximum recorded event loop delay.', (lags) => lags.max],
  ['mean', 'The mean of the recorded event loop delays.', (lags) => lags.mean],
  ['stddev', 'The standard deviation of the recorded event loop delays.', (lags) => lags.stddev],
  ['p50', 'The 50th percentile of the recorded event loop delays.', (lags) => lags.percentile(50)],
  ['p90', 'The 90th percentile of the recorded event loop delays.', (lags) => lags.percentile(90)],
  ['p99', 'The 99th percentile of the recorded event loop delays.', (lags) => lags.percentile(99)],
];

/** Statistics since the last scrape. Sampled only while requests are served. */
function loopLag(registry: Registry): (ms: number) => void {
  const lags = createHistogram();
  const lag = registry.gauge({ name: 'nodejs_eventloop_lag_seconds', help: 'Lag of event loop in seconds.' }).with({});
  const statistics = lagStatistics.map(([name, help, of]) => {
    const gauge = registry.gauge({ name: `nodejs_eventloop_lag_${name}_seconds`, help }).with({});
    return () => gauge.set(of(lags) / 1e9);
  });
  registry.beforeScrape(async () => {
    if (lags.count > 0) for (const update of statistics) update();
    lags.reset();
    const asked = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    lag.set((performance.now() - asked) / 1000);
  });
  return (ms) => lags.record(Math.max(1, Math.round(ms * 1e6)));
}

const collectionKinds = new Map<number, string>([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

/** Observes from the first scrape on, because each collection then costs a performance entry. */
function collectionPauses(registry: Registry): () => void {
  const pauses = registry.histogram({
    name: 'nodejs_gc_duration_seconds',
    help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
    labels: ['kind'],
    bounds: [0.001, 0.01, 0.1, 1, 2, 5],
  });
  const byKind = new Map(
    [...collectionKinds].map(([number, kind]): [number, HistogramSeries] => [number, pauses.with({ kind })]),
  );
  let observer: PerformanceObserver | undefined;
  registry.beforeScrape(() => {
    if (observer) return;
    observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as CollectionEntry[]) byKind.get(entry.detail.kind)?.observe(entry.duration / 1000);
    });
    observer.observe({ entryTypes: ['gc'] });
  });
  return () => observer?.disconnect();
}
