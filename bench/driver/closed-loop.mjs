import { createHistogram, record } from './histogram.mjs';

/**
 * A closed loop: a fixed number of lanes, each with one request in flight, the next sent as soon as the last is answered.
 * Both servers face the same concurrency, so throughput and latency can be compared without choosing a rate for either.
 *
 * @typedef {import('./connection.mjs').Connection} Connection
 * @typedef {import('./connection.mjs').Reply} Reply
 * @typedef {import('./connection.mjs').RequestShape} RequestShape
 * @typedef {import('./histogram.mjs').Histogram} Histogram
 * @typedef {{ path: string, body?: Buffer }} Request
 *
 * @typedef {object} Work  the work of one lane
 * @property {() => Request | undefined} next  the next operation; undefined when none is left
 * @property {(body: Buffer) => Request | undefined} [received]  may return a further request of the same operation
 *
 * @typedef {object} Bounds
 * @property {number} warmupMs  operations that end earlier are not counted
 * @property {number} [warmupOps]  the first operations are not counted, and the time begins when they have ended
 * @property {number} durationMs  no operation starts later, unless fewer than minOps have
 * @property {number} minOps
 * @property {number} minBytes  a shorter response counts as a failure
 *
 * @typedef {object} LoopResult
 * @property {number} started  including warm-up
 * @property {number} completed
 * @property {number} elapsedMs
 * @property {number} bytes
 * @property {Histogram} latencies
 * @property {number} failures
 * @property {string[]} failureSamples
 */

const maxFailureSamples = 3;
/** Aborts early if the server rejects everything. */
const maxFailures = 200;

class Meter {
  latencies = createHistogram();
  started = 0;
  bytes = 0;
  failures = 0;
  /** @type {Set<string>} */
  failureSamples = new Set();

  /** @param {Bounds} bounds @param {number} now */
  constructor(bounds, now) {
    this.minOps = bounds.minOps;
    this.warmupOps = bounds.warmupOps ?? 0;
    this.durationMs = bounds.durationMs;
    this.countFrom = now + bounds.warmupMs;
    this.stopAt = this.countFrom + bounds.durationMs;
    this.lastCounted = this.countFrom;
    this.exhausted = false;
  }

  /** @param {number} now */
  isOver(now) {
    return this.failures >= maxFailures || (now >= this.stopAt && this.latencies.total >= this.minOps);
  }

  /** @param {number} begun @param {number} now @param {number} bytes */
  completed(begun, now, bytes) {
    if (this.warmupOps > 0) return this.warmedUp(now);
    if (now < this.countFrom || this.isOver(now)) return;
    record(this.latencies, now - begun);
    this.bytes += bytes;
    this.lastCounted = now;
  }

  /** @param {number} now */
  warmedUp(now) {
    if (--this.warmupOps > 0) return;
    this.countFrom = Math.max(this.countFrom, now);
    this.stopAt = this.countFrom + this.durationMs;
    this.lastCounted = this.countFrom;
  }

  /** @param {string} sample */
  failed(sample) {
    this.failures++;
    if (this.failureSamples.size < maxFailureSamples) this.failureSamples.add(sample);
  }

  /** @returns {LoopResult} */
  result() {
    const end = this.exhausted ? this.lastCounted : Math.max(this.stopAt, this.lastCounted);
    const { started, latencies, bytes, failures } = this;
    const elapsedMs = end - this.countFrom;
    return {
      started,
      completed: latencies.total,
      elapsedMs,
      bytes,
      latencies,
      failures,
      failureSamples: [...this.failureSamples],
    };
  }
}

/** @implements {Reply} */
class Lane {
  #status = 0;
  #bytes = 0;
  #begun = 0;
  /** @type {Buffer[]} */
  #parts = [];

  /**
   * @param {Connection} connection @param {RequestShape} shape @param {number} expected @param {Work} work
   * @param {Meter} meter @param {number} minBytes @param {() => void} done
   */
  constructor(connection, shape, expected, work, meter, minBytes, done) {
    this.connection = connection;
    this.shape = connection.encodeShape(shape);
    this.expected = expected;
    this.work = work;
    this.meter = meter;
    this.minBytes = minBytes;
    this.done = done;
  }

  /** @param {number} now */
  begin(now) {
    if (this.meter.isOver(now)) return this.done();
    const request = this.work.next();
    if (!request) {
      this.meter.exhausted = true;
      return this.done();
    }
    this.meter.started++;
    this.#begun = now;
    this.#bytes = 0;
    this.#send(request);
  }

  /** @param {Request} request */
  #send(request) {
    this.#parts = [];
    this.connection.send(this.shape, request.path, request.body, this);
  }

  /** @param {number} status */
  head(status) {
    this.#status = status;
  }

  /** @param {Buffer} part */
  data(part) {
    this.#bytes += part.length;
    if (this.work.received || this.#status !== this.expected) this.#parts.push(part);
  }

  end() {
    if (this.#status !== this.expected) {
      this.meter.failed(`${this.#status} ${Buffer.concat(this.#parts).toString('utf8', 0, 300)}`);
      return this.begin(performance.now());
    }
    const further = this.work.received?.(Buffer.concat(this.#parts));
    if (further) return this.#send(further);
    const now = performance.now();
    if (this.#bytes < this.minBytes) this.meter.failed(`${this.#bytes} bytes where at least ${this.minBytes} were due`);
    else this.meter.completed(this.#begun, now, this.#bytes);
    this.begin(now);
  }

  /** @param {Error} error */
  fail(error) {
    this.meter.failed(error.message);
    this.done();
  }
}

/**
 * @param {readonly Connection[]} connections @param {RequestShape} shape @param {number} expected the status of success
 * @param {readonly Work[]} works one per lane; lanes are distributed over the connections @param {Bounds} bounds
 * @returns {Promise<LoopResult>}
 */
export async function runClosedLoop(connections, shape, expected, works, bounds) {
  const begun = performance.now();
  const meter = new Meter(bounds, begun);
  await new Promise((resolve) => {
    let running = works.length;
    const done = () => --running === 0 && resolve(undefined);
    works.forEach((work, index) => {
      new Lane(connections[index % connections.length], shape, expected, work, meter, bounds.minBytes, done).begin(begun);
    });
  });
  return meter.result();
}
