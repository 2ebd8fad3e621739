import { rateSample, withLoad } from './sample.mjs';

/**
 * @typedef {import('./row.mjs').Row} Row
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./row.mjs').Goal} Goal
 * @typedef {import('./row.mjs').Contender} Contender
 * @typedef {import('../driver/connection.mjs').Protocol} Protocol
 * @typedef {import('../driver/object-work.mjs').Operation} Operation
 * @typedef {import('../driver/closed-loop.mjs').Bounds} Bounds
 * @typedef {{ pool: import('../driver/pool.mjs').DriverPool, fixtures: import('./fixtures.mjs').Fixtures, plan: import('../plan.mjs').Plan }} Bench
 */

const objects = 2000;
const prefix = 'cm';
/** More than any server creates in the given time. */
const endless = 1_000_000;
const http2Connections = 2;
const timeoutMs = 60_000;

/** @type {Record<string, Goal | undefined>} */
const goals = {
  create: { ratio: 4, p99: true },
  get: { ratio: 6, p99: true },
  update: { ratio: 4, p99: true },
  patch: { ratio: 4, p99: true },
  apply: { ratio: 3, p99: true },
};
const titles = {
  create: 'create',
  get: 'get',
  update: 'update',
  patch: 'merge patch',
  apply: 'apply, 3 managers, 4 KB',
  unowned: 'update without managedFields',
  delete: 'delete',
};
export const protocolNames = { h2: 'HTTP/2', h1: 'HTTP/1.1' };

/** @param {keyof typeof titles} verb @param {Protocol} protocol @returns {Row} */
function rowOf(verb, protocol) {
  const title = `${titles[verb]}, ${protocolNames[protocol]}`;
  return { id: `${verb}-${protocol}`, title, group: 'Objects', unit: 'rate', goal: goals[verb] };
}

/** @param {Bench} bench @param {Contender} contender @param {Protocol} protocol @param {Operation} operation @param {number} round @param {Partial<Bounds>} [bounds] @param {string} [purpose] */
async function run(bench, contender, protocol, operation, round, bounds, purpose = 'objects') {
  const { pool, plan, fixtures } = bench;
  const making = purpose === unowned ? fixtures.unowned : fixtures.collection;
  const collection = await making.call(fixtures, contender, purpose, prefix, objects);
  const job = {
    endpoint: contender.endpoint,
    protocol,
    collection,
    operation,
    inFlight: plan.inFlight,
    connections: protocol === 'h2' ? http2Connections : plan.inFlight,
    bounds: {
      warmupMs: round === 0 ? plan.coldWarmupMs : plan.warmupMs,
      durationMs: plan.objectMs,
      minOps: 1,
      minBytes: 0,
      ...bounds,
    },
  };
  const { result, load } = await withLoad(contender, () => pool.runObjects(job, timeoutMs));
  return { result, sample: rateSample(result, load) };
}

/** The created objects are then deleted, so the two rows are one step. @param {Bench} bench @param {Protocol} protocol @returns {Step} */
function createAndDelete(bench, protocol) {
  const rows = [rowOf('create', protocol), rowOf('delete', protocol)];
  return {
    rows,
    measure: async (contender, round) => {
      const made = `${protocol}-${round}`;
      const created = await run(bench, contender, protocol, { kind: 'create', prefix: made, count: endless }, round);
      const counts = created.result.startedByShare;
      const toTheLast = { warmupMs: 0, durationMs: timeoutMs };
      const deleted = await run(bench, contender, protocol, { kind: 'delete', prefix: made, counts }, round, toTheLast);
      return { [rows[0].id]: created.sample, [rows[1].id]: deleted.sample };
    },
  };
}

/** @param {Bench} bench @param {Protocol} protocol @param {'get' | 'update' | 'patch'} kind @returns {Step} */
function onExisting(bench, protocol, kind) {
  const row = rowOf(kind, protocol);
  return {
    rows: [row],
    measure: async (contender, round) => {
      const { sample } = await run(bench, contender, protocol, { kind, prefix, count: objects }, round);
      return { [row.id]: sample };
    },
  };
}

const unowned = 'unowned';

/** The difference between the two is the cost of managedFields. @param {Bench} bench @returns {Step} */
function updates(bench) {
  const rows = [rowOf('update', 'h2'), rowOf(unowned, 'h2')];
  const operation = /** @type {const} */ ({ kind: 'update', prefix, count: objects });
  return {
    rows,
    measure: async (contender, round) => {
      const owned = await run(bench, contender, 'h2', operation, round);
      const without = await run(bench, contender, 'h2', operation, round, {}, unowned);
      return { [rows[0].id]: owned.sample, [rows[1].id]: without.sample };
    },
  };
}

/** Few objects, so that all managers soon have applied to each of them. */
const appliedObjects = 256;

/** @param {Bench} bench @returns {Step} */
function applies(bench) {
  const row = rowOf('apply', 'h2');
  return {
    rows: [row],
    measure: async (contender, round) => {
      const operation = /** @type {const} */ ({ kind: 'apply', prefix, count: appliedObjects });
      const { sample } = await run(bench, contender, 'h2', operation, round, {}, 'applied');
      return { [row.id]: sample };
    },
  };
}

/** @param {Bench} bench @returns {Step[]} */
export function objectSteps(bench) {
  const steps = /** @type {const} */ (['h2', 'h1']).flatMap((protocol) => [
    createAndDelete(bench, protocol),
    onExisting(bench, protocol, 'get'),
    protocol === 'h2' ? updates(bench) : onExisting(bench, protocol, 'update'),
    onExisting(bench, protocol, 'patch'),
  ]);
  return [...steps, applies(bench)];
}
