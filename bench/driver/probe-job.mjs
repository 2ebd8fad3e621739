import { openConnections } from './connection.mjs';
import { createHistogram, record } from './histogram.mjs';
import { withOwnCost } from './own-cost.mjs';

/**
 * Requests that must be answered in time under any load, each kind on its own connection at a fixed rate. Those that became due
 * while one was unanswered are counted as if they had been sent, so that a slow response does not hide others (coordinated
 * omission).
 *
 * @typedef {import('./connection.mjs').Endpoint} Endpoint
 * @typedef {import('./histogram.mjs').Histogram} Histogram
 *
 * @typedef {object} Probe
 * @property {string} id
 * @property {'get' | 'renew' | 'status'} kind  a get, an update of a Lease, or a patch of the status of a Node
 * @property {string} path
 * @property {import('./connection.mjs').Protocol} protocol
 * @property {Record<string, string>} [headers]
 * @property {boolean} [isAnonymous]  shows no certificate
 * @property {boolean} [isFresh]  a connection for each request
 *
 * @typedef {{ type: 'probe', endpoint: Endpoint, probes: Probe[], intervalMs: number, durationMs: number }} ProbeJob
 * @typedef {{ latencies: Histogram, maxMs: number, failures: number, failureSamples: string[] }} ProbeOutcome
 * @typedef {{ outcomes: Record<string, ProbeOutcome> } & import('./own-cost.mjs').OwnCost} ProbeResult
 */

const requestTimeoutMs = 10_000;
const maxFailureSamples = 3;

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Prober {
  /** @type {ProbeOutcome} */
  outcome = { latencies: createHistogram(), maxMs: 0, failures: 0, failureSamples: [] };
  /** @type {import('./connection.mjs').Connection | undefined} */
  #connection;
  /** @type {{ spec?: object, metadata?: object } | undefined} */
  #lease;
  #count = 0;

  /** @param {Endpoint} endpoint @param {Probe} probe */
  constructor(endpoint, probe) {
    this.endpoint = endpoint;
    this.probe = probe;
  }

  /** @param {number} begun @param {number} end @param {number} intervalMs */
  async run(begun, end, intervalMs) {
    for (let due = begun; due < end; due = Math.max(due + intervalMs, performance.now())) {
      const early = due - performance.now();
      if (early > 0) await sleep(early);
      const sent = performance.now();
      try {
        await this.#ask();
        for (let ms = performance.now() - sent; ms > 0; ms -= intervalMs) this.#took(ms);
      } catch (error) {
        this.#failed(String(error));
      }
      if (this.probe.isFresh) this.#close();
    }
    this.#close();
  }

  /** @param {number} ms */
  #took(ms) {
    record(this.outcome.latencies, ms);
    this.outcome.maxMs = Math.max(this.outcome.maxMs, ms);
  }

  /** @param {string} sample */
  #failed(sample) {
    const { failureSamples } = this.outcome;
    this.outcome.failures++;
    if (failureSamples.length < maxFailureSamples) failureSamples.push(sample);
    this.#close();
  }

  #close() {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #ask() {
    const { kind, path } = this.probe;
    if (kind === 'get') return this.#send('GET', path);
    if (kind === 'status') return this.#send('PATCH', path, nodeStatus(this.#count++), 'application/merge-patch+json');
    this.#lease ??= JSON.parse(await this.#send('GET', path));
    const spec = { ...this.#lease?.spec, renewTime: new Date().toISOString().replace('Z', '000Z') };
    this.#lease = JSON.parse(await this.#send('PUT', path, { ...this.#lease, spec }, 'application/json'));
  }

  /** @param {string} method @param {string} path @param {object} [object] @param {string} [contentType] @returns {Promise<string>} */
  async #send(method, path, object, contentType) {
    const { protocol, headers, isAnonymous } = this.probe;
    // With a token no certificate is sent; an empty one means none.
    const endpoint = isAnonymous ? { ...this.endpoint, token: '' } : this.endpoint;
    this.#connection ??= (await openConnections(endpoint, protocol, 1))[0];
    const connection = this.#connection;
    const shape = connection.encodeShape({ method, accept: 'application/json', contentType, headers });
    const body = object && Buffer.from(JSON.stringify(object));
    return new Promise((resolve, reject) => {
      let status = 0;
      /** @type {Buffer[]} */
      const parts = [];
      const timer = setTimeout(() => reject(new Error(`${method} ${path}: no answer`)), requestTimeoutMs);
      connection.send(shape, path, body, {
        head: (code) => {
          status = code;
        },
        data: (part) => parts.push(part),
        end: () => {
          clearTimeout(timer);
          const text = Buffer.concat(parts).toString();
          if (status === 200) resolve(text);
          else reject(new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`));
        },
        fail: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
    });
  }
}

/** @param {number} count */
function nodeStatus(count) {
  const now = new Date().toISOString();
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: `beat ${count}`, lastHeartbeatTime: now };
  return { status: { conditions: [ready] } };
}

/** @param {ProbeJob} job @returns {Promise<ProbeResult>} */
export function runProbeJob({ endpoint, probes, intervalMs, durationMs }) {
  return withOwnCost(async () => {
    const begun = performance.now();
    const probers = probes.map((probe) => new Prober(endpoint, probe));
    const step = intervalMs / probes.length;
    await Promise.all(probers.map((prober, index) => prober.run(begun + index * step, begun + durationMs, intervalMs)));
    return { outcomes: Object.fromEntries(probers.map(({ probe, outcome }) => [probe.id, outcome])) };
  });
}
