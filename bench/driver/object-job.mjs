import { runClosedLoop } from './closed-loop.mjs';
import { openConnections } from './connection.mjs';
import { createWorks, shapeOf, successOf } from './object-work.mjs';
import { withOwnCost } from './own-cost.mjs';

/**
 * @typedef {import('./connection.mjs').Connection} Connection
 * @typedef {import('./closed-loop.mjs').Bounds} Bounds
 *
 * @typedef {object} ObjectJob
 * @property {'objects'} type
 * @property {import('./connection.mjs').Endpoint} endpoint
 * @property {import('./connection.mjs').Protocol} protocol
 * @property {string} collection  the path of the collection
 * @property {import('./object-work.mjs').Operation} operation
 * @property {number} inFlight
 * @property {number} connections
 * @property {Bounds} bounds
 * @property {import('./object-work.mjs').Share} share
 *
 * @typedef {import('./closed-loop.mjs').LoopResult & import('./own-cost.mjs').OwnCost} ObjectResult
 */

const once = { warmupMs: 0, durationMs: 0, minOps: 1, minBytes: 0 };

/** @param {Connection} connection @param {string} collection @returns {Promise<Map<string, string>>} */
async function readVersions(connection, collection) {
  /** @type {{ items: { metadata: { name: string, resourceVersion: string } }[] }} */
  let list = { items: [] };
  const received = (/** @type {Buffer} */ body) => {
    list = JSON.parse(body.toString());
    return undefined;
  };
  const shape = { method: 'GET', accept: 'application/json' };
  await runClosedLoop([connection], shape, 200, [{ next: () => ({ path: collection }), received }], once);
  return new Map(list.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

/** @param {ObjectJob} job @returns {Promise<ObjectResult>} */
export async function runObjectJob(job) {
  const { operation, collection } = job;
  const connections = await openConnections(job.endpoint, job.protocol, job.connections);
  try {
    const versions = operation.kind === 'update' ? await readVersions(connections[0], collection) : new Map();
    const works = createWorks(operation, collection, job.inFlight, job.share, versions);
    return await withOwnCost(() => runClosedLoop(connections, shapeOf(operation), successOf(operation), works, job.bounds));
  } finally {
    for (const connection of connections) connection.close();
  }
}
