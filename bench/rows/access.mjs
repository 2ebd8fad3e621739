import { bindReaders, tokenOf } from '../servers/access.mjs';
import { rateSample, withLoad } from './sample.mjs';

/**
 * Cost of authentication and authorization: gets by a service account with a minimal role, among few and among many bindings.
 *
 * @typedef {import('./row.mjs').Row} Row
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./row.mjs').Contender} Contender
 * @typedef {import('./objects.mjs').Bench} Bench
 */

const objects = 200;
const prefix = 'cm';
const connections = 2;
const timeoutMs = 60_000;

/** @param {number} bindings @returns {Row} */
function rowOf(bindings) {
  const count = bindings.toLocaleString('en');
  return { id: `get-rbac-${bindings}`, title: `get under RBAC, ${count} bindings`, group: 'Objects', unit: 'rate' };
}

/** @param {Bench} bench @param {number} bindings @returns {Step} */
function getAsReader({ pool, fixtures, plan }, bindings) {
  const row = rowOf(bindings);
  /** @type {Map<Contender, Promise<string>>} */
  const tokens = new Map();
  /** @param {Contender} contender @param {string} collection */
  const prepare = async (contender, collection) => {
    const namespace = collection.split('/')[4];
    await bindReaders(contender.endpoint, namespace, bindings);
    return tokenOf(contender.endpoint, namespace);
  };
  return {
    rows: [row],
    measure: async (contender, round) => {
      const collection = await fixtures.collection(contender, `rbac-${bindings}`, prefix, objects);
      const making = tokens.get(contender) ?? prepare(contender, collection);
      tokens.set(contender, making);
      const job = {
        endpoint: { ...contender.endpoint, token: await making },
        protocol: /** @type {const} */ ('h2'),
        collection,
        operation: { kind: /** @type {const} */ ('get'), prefix, count: objects },
        inFlight: plan.inFlight,
        connections,
        bounds: {
          warmupMs: round === 0 ? plan.coldWarmupMs : plan.warmupMs,
          durationMs: plan.objectMs,
          minOps: 1,
          minBytes: 0,
        },
      };
      const { result, load } = await withLoad(contender, () => pool.runObjects(job, timeoutMs));
      return { [row.id]: rateSample(result, load) };
    },
  };
}

/** @param {Bench} bench @returns {Step[]} */
export function accessSteps(bench) {
  return [getAsReader(bench, 10), getAsReader(bench, 10_000)];
}
