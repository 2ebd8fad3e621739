import { setTimeout as sleep } from 'node:timers/promises';
import { runClosedLoop } from './closed-loop.mjs';
import { encodeConfigMap, objectName, resourceVersionIn, stampOf } from './config-map.mjs';
import { openConnections } from './connection.mjs';
import { FanOut } from './fan-out.mjs';
import { withOwnCost } from './own-cost.mjs';
import { Watcher } from './watcher.mjs';

/**
 * @typedef {import('./connection.mjs').Connection} Connection
 * @typedef {import('./connection.mjs').Reply} Reply
 *
 * Either as many writes as the slots allow, or a fixed rate per second.
 * @typedef {{ kind: 'saturation' } | { kind: 'rate', perSecond: number }} Pace
 *
 * @typedef {object} WatchJob
 * @property {'watch'} type
 * @property {import('./connection.mjs').Endpoint} endpoint
 * @property {import('./connection.mjs').Protocol} protocol
 * @property {string} collection
 * @property {string} prefix  of the objects to write, one for each slot
 * @property {number} slots  how many writes may be on their way to watchers
 * @property {number} watchers
 * @property {number} watchersPerConnection
 * @property {Pace} pace
 * @property {number} warmupMs
 * @property {number} durationMs
 *
 * @typedef {object} WatchCounts
 * @property {number} events
 * @property {number} elapsedMs
 * @property {import('./histogram.mjs').Histogram} latencies
 * @property {number} failures
 * @property {string[]} failureSamples
 *
 * @typedef {WatchCounts & import('./own-cost.mjs').OwnCost} WatchResult
 */

const json = 'application/json';
const openTimeoutMs = 15_000;
const drainTimeoutMs = 10_000;
/** Aborts after this many failed writes. */
const maxFailures = 200;

class WatchRun {
  failures = 0;
  /** @type {Set<string>} */
  failureSamples = new Set();
  #writing = false;
  #opened = 0;

  /** @param {WatchJob} job @param {readonly Connection[]} writers @param {readonly Connection[]} readers */
  constructor(job, writers, readers) {
    this.job = job;
    this.writers = writers.map((connection) => ({
      connection,
      shape: connection.encodeShape({ method: 'PUT', accept: json, contentType: json }),
    }));
    this.readers = readers;
    this.fanOut = new FanOut(job.watchers, job.slots, () => {
      if (this.#writing && job.pace.kind === 'saturation') this.#write();
    });
  }

  /** @param {string} resourceVersion */
  async openWatches(resourceVersion) {
    const path = `${this.job.collection}?watch=1&resourceVersion=${resourceVersion}`;
    for (let index = 0; index < this.job.watchers; index++) {
      const connection = this.readers[index % this.readers.length];
      connection.send(connection.encodeShape({ method: 'GET', accept: json }), path, undefined, this.#createWatcher());
    }
    const deadline = performance.now() + openTimeoutMs;
    while (this.#opened < this.job.watchers && performance.now() < deadline) await sleep(5);
    if (this.#opened < this.job.watchers) throw new Error(`${this.#opened} of ${this.job.watchers} watches opened in time`);
  }

  #createWatcher() {
    return new Watcher({
      opened: (status) => {
        this.#opened++;
        if (status !== 200) this.#failed(`a watch was answered with ${status}`);
      },
      event: (sequence) => this.fanOut.delivered(sequence),
      lost: (reason) => {
        this.#failed(reason);
        this.fanOut.lost();
      },
    });
  }

  /** @param {string} sample */
  #failed(sample) {
    this.failures++;
    this.failureSamples.add(sample);
  }

  #write() {
    const begun = this.failures < maxFailures ? this.fanOut.begin() : undefined;
    if (!begun) return;
    const { sequence, slot } = begun;
    const { connection, shape } = this.writers[slot % this.writers.length];
    const path = `${this.job.collection}/${objectName(this.job.prefix, slot)}`;
    connection.send(shape, path, encodeConfigMap(this.job.prefix, slot, stampOf(sequence)), this.#writeReply(sequence));
  }

  /** @param {number} sequence @returns {Reply} */
  #writeReply(sequence) {
    const abandon = (/** @type {string} */ reason) => {
      this.#failed(reason);
      setImmediate(() => this.fanOut.abandoned(sequence));
    };
    let status = 0;
    return {
      head: (received) => {
        status = received;
      },
      data: () => undefined,
      end: () => (status === 200 ? this.fanOut.acknowledged(sequence) : abandon(`a write was answered with ${status}`)),
      fail: (error) => abandon(error.message),
    };
  }

  /** @returns {Promise<WatchCounts>} */
  async measure() {
    const { warmupMs, durationMs, pace } = this.job;
    const from = performance.now() + warmupMs;
    const until = from + durationMs;
    this.fanOut.count(from, until);
    this.#writing = true;
    if (pace.kind === 'rate') await this.#writeAtRate(pace.perSecond, until);
    else await this.#saturate(until);
    this.#writing = false;
    await this.#drain();
    const { latencies } = this.fanOut;
    const { failures, failureSamples } = this;
    return {
      events: latencies.total,
      elapsedMs: durationMs,
      latencies,
      failures,
      failureSamples: [...failureSamples].slice(0, 3),
    };
  }

  /** @param {number} until */
  async #saturate(until) {
    for (let slot = 0; slot < this.job.slots; slot++) this.#write();
    await sleep(until - performance.now());
  }

  /** @param {number} perSecond @param {number} until */
  async #writeAtRate(perSecond, until) {
    const begun = performance.now();
    for (let count = 1; performance.now() < until; count++) {
      this.#write();
      await sleep(Math.max(0, begun + (count * 1000) / perSecond - performance.now()));
    }
  }

  async #drain() {
    const deadline = performance.now() + drainTimeoutMs;
    while (this.fanOut.outstanding > 0 && performance.now() < deadline) await sleep(5);
    if (this.fanOut.outstanding > 0) this.#failed(`${this.fanOut.outstanding} events never arrived at all watchers`);
  }
}

/** @param {Connection} connection @param {string} collection */
async function readVersion(connection, collection) {
  let version = '';
  const received = (/** @type {Buffer} */ body) => {
    version = resourceVersionIn(body) ?? '';
    return undefined;
  };
  const work = { next: () => ({ path: `${collection}?limit=1` }), received };
  const once = { warmupMs: 0, durationMs: 0, minOps: 1, minBytes: 0 };
  await runClosedLoop([connection], { method: 'GET', accept: json }, 200, [work], once);
  return version;
}

/** @param {WatchJob} job @returns {Promise<WatchResult>} */
export async function runWatchJob(job) {
  const { endpoint, protocol } = job;
  const writers = await openConnections(endpoint, protocol, protocol === 'h2' ? 1 : job.slots);
  const readers = await openConnections(endpoint, protocol, Math.ceil(job.watchers / job.watchersPerConnection));
  try {
    const run = new WatchRun(job, writers, readers);
    await run.openWatches(await readVersion(writers[0], job.collection));
    return await withOwnCost(() => run.measure());
  } finally {
    for (const connection of [...writers, ...readers]) connection.close();
  }
}
