import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import {
  type AdmissionObserver,
  type AdmissionRecorder,
  type AdmissionSample,
  HeavyRequests,
  type LightLimits,
  type Logger,
  lightLimits,
  type Resource,
  readRequestBody,
  WorkerPool,
} from '@tsukube/apiserver';
import type { WorkerOptions } from './worker-api.ts';
import { type WorkerCallParts, workerCalls } from './worker-calls.ts';

/** Worker threads for heavy requests. */
export interface OffloadOptions {
  /** Entry file of the worker threads, if it is not next to this module. */
  readonly workerFile?: () => URL | Promise<URL>;
  readonly limits?: LightLimits;
}

export interface HeavyRequestParts extends WorkerCallParts {
  readonly start: WorkerOptions;
  readonly offload: OffloadOptions;
  /** Library users have plugins, which do not run in workers. */
  readonly isDisabled: boolean;
  /** Additional resources of library users, which workers cannot serve. */
  readonly localResources: readonly Resource[];
  readonly admissionObserver: AdmissionObserver;
  readonly logger: Logger;
}

export interface HeavyServing {
  readonly requests: HeavyRequests;
  close(): Promise<void>;
}

const maxWorkers = 4;
const maxQueued = 1000;
const idleMs = 30_000;
const stuckMs = 1000;
const [minHeapMb, maxHeapMb] = [192, 1024];

/** Undefined if disabled, or without a worker file: all requests are then served on this thread. */
export function heavyServing(parts: HeavyRequestParts): HeavyServing | undefined {
  const file = parts.offload.workerFile ?? workerFile();
  if (!file || parts.isDisabled) return undefined;
  const pool = new WorkerPool({
    file,
    data: parts.start,
    functions: (jobs) => workerCalls(parts, jobs),
    recordAdmission: admissionRecorder(parts.admissionObserver),
    logger: parts.logger,
    maxWorkers: Math.max(1, Math.floor(Math.min(maxWorkers, availableParallelism() - 1) / parts.start.options.workers)),
    maxQueued,
    maxHeapMb: heapLimitMb(),
    idleMs,
    stuckMs,
  });
  const local = new Set(parts.localResources.map(({ storagePrefix }) => storagePrefix));
  const requests = new HeavyRequests({
    limits: parts.offload.limits ?? lightLimits,
    isLocal: ({ storagePrefix }) => local.has(storagePrefix),
    offload: (request, body) => pool.run(request, body),
    async derive(request, { value }, what) {
      const { group, version } = request.version;
      const message = { group, version, plural: request.resource.names.plural, what, value };
      return Buffer.from((await pool.derive(request, message)).buffer);
    },
    convert: (request, json, output) => pool.convert(request, json, output),
    readBody: readRequestBody,
  });
  return { requests, close: () => pool.close() };
}

/** The worker file of the bundle, or of the compiled module. */
function workerFile(): (() => URL) | undefined {
  const file = new URL(import.meta.url.endsWith('/program.cjs') ? './worker.cjs' : './entry.js', import.meta.url);
  return existsSync(file) ? () => file : undefined;
}

/** Half of this thread's heap limit. */
function heapLimitMb(): number {
  const half = getHeapStatistics().heap_size_limit / 2 ** 21;
  return Math.round(Math.min(maxHeapMb, Math.max(minHeapMb, half)));
}

/** Records the metrics measured by workers. */
function admissionRecorder(observer: AdmissionObserver): (sample: AdmissionSample) => void {
  const recorders = new Map<string, AdmissionRecorder>();
  return (sample) => {
    if ('metric' in sample) {
      // The plugins of this thread have defined the metric.
      observer.counter({ name: sample.metric, help: '', labels: [] })(sample.labels, sample.value);
      return;
    }
    const { plugin, type, operation, milliseconds, rejected } = sample;
    const key = `${plugin} ${type}`;
    let record = recorders.get(key);
    if (!record) {
      record = plugin === undefined ? observer.step(type) : observer.plugin(plugin, type);
      recorders.set(key, record);
    }
    record(operation, milliseconds, rejected);
  };
}
