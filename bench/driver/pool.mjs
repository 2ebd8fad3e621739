import { fork } from 'node:child_process';
import { mergeHistograms } from './histogram.mjs';

/**
 * @typedef {import('./object-job.mjs').ObjectJob} ObjectJob
 * @typedef {import('./object-job.mjs').ObjectResult} ObjectResult
 * @typedef {import('./watch-job.mjs').WatchJob} WatchJob
 * @typedef {import('./watch-job.mjs').WatchResult} WatchResult
 * @typedef {import('./flood-job.mjs').FloodJob} FloodJob
 * @typedef {import('./flood-job.mjs').FloodResult} FloodResult
 * @typedef {import('./probe-job.mjs').ProbeJob} ProbeJob
 * @typedef {import('./probe-job.mjs').ProbeResult} ProbeResult
 * @typedef {import('./worker.mjs').Outcome} Outcome
 * @typedef {import('node:child_process').ChildProcess} ChildProcess
 *
 * startedByShare is how many operations each driver process began; busiestCore is the share of one core that the
 * busiest of them used.
 * @typedef {Omit<ObjectResult, 'started' | 'wallMs'> & { startedByShare: number[], busiestCore: number }} PooledResult
 */

const workerFile = new URL('./worker.mjs', import.meta.url);

/** @param {ChildProcess} child @param {object} job @param {number} timeoutMs @returns {Promise<unknown>} */
function ask(child, job, timeoutMs) {
  return new Promise((resolve, reject) => {
    const settle = (/** @type {() => void} */ finish) => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      finish();
    };
    const onMessage = (/** @type {unknown} */ message) => {
      const outcome = /** @type {Outcome} */ (message);
      settle(() => ('error' in outcome ? reject(new Error(outcome.error)) : resolve(outcome.result)));
    };
    const onExit = () => settle(() => reject(new Error('the driver process ended')));
    const timer = setTimeout(() => {
      settle(() => reject(new Error(`no result after ${Math.round(timeoutMs / 1000)} s`)));
      child.kill('SIGKILL'); // a driver stuck in one job cannot run the next
    }, timeoutMs);
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send(job);
  });
}

/** @param {readonly ObjectResult[]} parts @returns {PooledResult} */
function merge(parts) {
  const sum = (/** @type {(part: ObjectResult) => number} */ of) => parts.reduce((total, part) => total + of(part), 0);
  return {
    startedByShare: parts.map((part) => part.started),
    completed: sum((part) => part.completed),
    bytes: sum((part) => part.bytes),
    failures: sum((part) => part.failures),
    cpuMs: sum((part) => part.cpuMs),
    elapsedMs: Math.max(...parts.map((part) => part.elapsedMs)),
    busiestCore: Math.max(...parts.map((part) => part.cpuMs / part.wallMs)),
    latencies: mergeHistograms(parts.map((part) => part.latencies)),
    failureSamples: parts.flatMap((part) => part.failureSamples).slice(0, 3),
  };
}

export class DriverPool {
  /** @type {(ChildProcess | undefined)[]} */
  #children;

  /** @param {number} size */
  constructor(size) {
    this.size = size;
    this.#children = Array.from({ length: size }, () => undefined);
  }

  /** @param {number} index @returns {ChildProcess} */
  #child(index) {
    const known = this.#children[index];
    if (known && known.exitCode === null && known.signalCode === null) return known;
    const made = fork(workerFile, { serialization: 'advanced' });
    this.#children[index] = made;
    return made;
  }

  /** @param {Omit<ObjectJob, 'type' | 'share'>} job @param {number} timeoutMs @returns {Promise<PooledResult>} */
  async runObjects(job, timeoutMs) {
    const of = Math.min(this.size, job.inFlight);
    const inFlight = Math.floor(job.inFlight / of);
    const connections = Math.max(1, Math.floor(job.connections / of));
    const shares = Array.from({ length: of }, (_, index) =>
      ask(this.#child(index), { ...job, type: 'objects', inFlight, connections, share: { index, of } }, timeoutMs),
    );
    return merge(/** @type {ObjectResult[]} */ (await Promise.all(shares)));
  }

  /**
   * One process both writes and watches, because it must know the slowest watcher when the next write is due.
   * @param {Omit<WatchJob, 'type'>} job @param {number} timeoutMs @returns {Promise<WatchResult>}
   */
  async runWatch(job, timeoutMs) {
    return /** @type {WatchResult} */ (await ask(this.#child(0), { ...job, type: 'watch' }, timeoutMs));
  }

  /** @param {Omit<FloodJob, 'type'>} job @param {number} timeoutMs @returns {Promise<FloodResult>} */
  async runFlood(job, timeoutMs) {
    return /** @type {FloodResult} */ (await ask(this.#child(0), { ...job, type: 'flood' }, timeoutMs));
  }

  /** Runs in its own process beside the others. @param {Omit<ProbeJob, 'type'>} job @param {number} timeoutMs @returns {Promise<ProbeResult>} */
  async runProbe(job, timeoutMs) {
    return /** @type {ProbeResult} */ (await ask(this.#child(this.size), { ...job, type: 'probe' }, timeoutMs));
  }

  close() {
    for (const child of this.#children) child?.kill('SIGKILL');
  }
}
