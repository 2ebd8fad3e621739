import { encodeConfigMap, objectName, stampOf } from './config-map.mjs';
import { openConnections } from './connection.mjs';
import { withOwnCost } from './own-cost.mjs';

/**
 * Overload. Of ten requests six are gets, three are creates and one lists a page of 500 objects. Without a rate it is a closed
 * loop, which measures the capacity of the server; with a rate it is an open loop, which ignores it.
 *
 * @typedef {import('./connection.mjs').Connection} Connection
 * @typedef {import('./connection.mjs').EncodedShape} EncodedShape
 *
 * @typedef {object} FloodJob
 * @property {'flood'} type
 * @property {import('./connection.mjs').Endpoint[]} endpoints  one for each user
 * @property {string} collection  with objects of `prefix`, the first of `count`
 * @property {string} prefix
 * @property {number} count
 * @property {string} created  prefix of the objects that are created
 * @property {number} http2Connections
 * @property {number} http1Connections
 * @property {number} inFlight  maximum requests in flight per connection
 * @property {number} [ratePerSecond]
 * @property {number} durationMs
 *
 * `heldBack` requests were due but not sent, because every connection had reached its limit of requests in flight.
 * @typedef {{ offered: number, heldBack: number, succeeded: number, refused: number, failed: number, failureSamples: string[], elapsedMs: number } & import('./own-cost.mjs').OwnCost} FloodResult
 */

const tooManyRequests = 429;
const turnMs = 2;
const pageSize = 500;
const maxFailureSamples = 3;

class Client {
  inFlight = 0;

  /** @param {Connection} connection @param {Flood} flood */
  constructor(connection, flood) {
    this.connection = connection;
    this.flood = flood;
    const json = { accept: 'application/json' };
    this.get = connection.encodeShape({ method: 'GET', ...json });
    this.post = connection.encodeShape({ method: 'POST', contentType: 'application/json', ...json });
  }

  /** @param {number} index */
  send(index) {
    const { collection, prefix, count, created } = this.flood.job;
    this.inFlight++;
    const kind = index % 10;
    if (kind === 0) this.connection.send(this.get, `${collection}?limit=${pageSize}`, undefined, this.reply());
    else if (kind > 3)
      this.connection.send(this.get, `${collection}/${objectName(prefix, index % count)}`, undefined, this.reply());
    else this.connection.send(this.post, collection, encodeConfigMap(created, index, stampOf(index)), this.reply());
  }

  /** @returns {import('./connection.mjs').Reply} */
  reply() {
    let status = 0;
    const over = () => {
      this.inFlight--;
      this.flood.next(this);
    };
    return {
      head: (code) => {
        status = code;
      },
      data: () => {},
      end: () => {
        this.flood.answered(status);
        over();
      },
      fail: (error) => {
        this.flood.failed(error.message);
        over();
      },
    };
  }
}

class Flood {
  offered = 0;
  heldBack = 0;
  succeeded = 0;
  refused = 0;
  failures = 0;
  isOver = false;
  /** @type {Set<string>} */
  failureSamples = new Set();
  #index = 0;
  #turn = 0;

  /** @param {FloodJob} job */
  constructor(job) {
    this.job = job;
  }

  /** @param {readonly Client[]} clients */
  async run(clients) {
    const begun = performance.now();
    const end = begun + this.job.durationMs;
    if (this.job.ratePerSecond === undefined) for (const client of clients) this.#fill(client);
    else await this.#openLoop(clients, begun, end, this.job.ratePerSecond / 1000);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, end - performance.now())));
    this.isOver = true;
    return performance.now() - begun;
  }

  /** @param {readonly Client[]} clients @param {number} begun @param {number} end @param {number} perMs */
  async #openLoop(clients, begun, end, perMs) {
    for (let now = begun; now < end; now = performance.now()) {
      const due = Math.floor((now - begun) * perMs);
      while (this.offered < due) {
        this.offered++;
        const client = this.#withRoom(clients);
        if (client) client.send(this.#index++);
        else this.heldBack++;
      }
      await new Promise((resolve) => setTimeout(resolve, turnMs));
    }
  }

  /** The next client with capacity, round-robin. @param {readonly Client[]} clients */
  #withRoom(clients) {
    for (let tried = 0; tried < clients.length; tried++) {
      const client = clients[this.#turn++ % clients.length];
      if (client.inFlight < this.job.inFlight) return client;
    }
    return undefined;
  }

  /** @param {Client} client */
  #fill(client) {
    while (client.inFlight < this.job.inFlight) {
      this.offered++;
      client.send(this.#index++);
    }
  }

  /** @param {Client} client */
  next(client) {
    if (!this.isOver && this.job.ratePerSecond === undefined) this.#fill(client);
  }

  /** @param {number} status */
  answered(status) {
    if (this.isOver) return;
    if (status === 200 || status === 201) this.succeeded++;
    else if (status === tooManyRequests) this.refused++;
    else this.failed(`status ${status}`);
  }

  /** @param {string} sample */
  failed(sample) {
    if (this.isOver) return;
    this.failures++;
    if (this.failureSamples.size < maxFailureSamples) this.failureSamples.add(sample);
  }
}

/** @param {FloodJob} job @returns {Promise<FloodResult>} */
export function runFloodJob(job) {
  return withOwnCost(async () => {
    const perUser = (/** @type {number} */ total) => Math.max(0, Math.round(total / job.endpoints.length));
    const opened = await Promise.all(
      job.endpoints.flatMap((endpoint) => [
        openConnections(endpoint, 'h2', perUser(job.http2Connections)),
        openConnections(endpoint, 'h1', perUser(job.http1Connections)),
      ]),
    );
    const connections = opened.flat();
    const flood = new Flood(job);
    const elapsedMs = await flood.run(connections.map((connection) => new Client(connection, flood)));
    for (const connection of connections) connection.close();
    const { offered, heldBack, succeeded, refused, failures: failed } = flood;
    return { offered, heldBack, succeeded, refused, failed, failureSamples: [...flood.failureSamples], elapsedMs };
  });
}
