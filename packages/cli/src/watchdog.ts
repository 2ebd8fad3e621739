import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { type WatchdogSettings, watchdogThread } from './watchdog-thread.ts';

export interface WatchdogOptions {
  /** Minimum stall of the event loop that is reported. */
  readonly thresholdMs: number;
  readonly format: 'text' | 'json';
}

const maxBeatMs = 1000;
const beatsPerThreshold = 4;
/** The thread takes some 8 MB, so it ends after this time without clients. */
const lingerMs = 60_000;

/**
 * Reports a stalled event loop on standard error, with the stack of the main thread, from a separate thread. The thread runs
 * while clients are connected and never keeps the process alive.
 */
export class Watchdog {
  /** Summarizes the request that is running. Called during a stall. */
  runningRequest: () => string | undefined = () => undefined;
  readonly #options: WatchdogOptions;
  #worker: Worker | undefined;
  #beating: NodeJS.Timeout | undefined;
  #ending: NodeJS.Timeout | undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** Called when the first client connects and when the last one disconnects. */
  onClients(isConnected: boolean): void {
    clearTimeout(this.#ending);
    if (isConnected) this.#start();
    else this.#ending = setTimeout(() => this.stop(), lingerMs).unref();
  }

  stop(): void {
    clearTimeout(this.#ending);
    clearInterval(this.#beating);
    this.#worker?.terminate().catch(() => {});
    this.#worker = undefined;
  }

  #start(): void {
    if (this.#worker) return;
    const { thresholdMs, format } = this.#options;
    const beatMs = Math.min(maxBeatMs, thresholdMs / beatsPerThreshold);
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const beats = new Int32Array(shared);
    Object.assign(globalThis, { [runningRequestKey]: () => this.runningRequest() });
    const settings: WatchdogSettings = { beats: shared, beatMs, thresholdMs, format, requestKey: runningRequestKey };
    this.#worker = new Worker(`(${watchdogThread})(require)`, { eval: true, workerData: settings, env: {}, execArgv: [] });
    this.#worker.unref();
    // The server works without the thread.
    this.#worker.on('error', () => this.stop());
    this.#beating = setInterval(() => beat(beats), beatMs).unref();
  }
}

const runningRequestKey = 'tsukubeRunningRequest';

/** A debugger may pause the process: a negative count disables the watchdog. */
function beat(beats: Int32Array): void {
  const count = (Math.abs(Atomics.load(beats, 0)) % 1_000_000) + 1;
  Atomics.store(beats, 0, inspectorUrl() === undefined ? count : -count);
}
