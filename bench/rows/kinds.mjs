import { durationSample, rateSample, withLoad } from './sample.mjs';

/**
 * Kinds with more validation, defaulting and columns than a ConfigMap; and protobuf, which Go clients use.
 *
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./row.mjs').Goal} Goal
 * @typedef {import('./row.mjs').Contender} Contender
 * @typedef {import('./objects.mjs').Bench} Bench
 * @typedef {import('../driver/manifest.mjs').ObjectKind} ObjectKind
 * @typedef {import('../driver/object-work.mjs').Operation} Operation
 * @typedef {import('../driver/closed-loop.mjs').Bounds} Bounds
 */

const objects = 2000;
/** @param {ObjectKind} kind */
const groupOf = (kind) => (kind === 'crontabs' ? 'Custom resources' : 'Pods and deployments');
const prefix = 'o';
/** More than any server creates in the given time. */
const endless = 1_000_000;
const protobuf = 'application/vnd.kubernetes.protobuf';
const json = 'application/json';
const timeoutMs = 60_000;
/** Minimum bytes per object in a complete list. */
const bytesPerObject = 300;

/** @type {Record<string, Goal | undefined>} */
const goals = {
  create: { ratio: 4, p99: true },
  get: { ratio: 6, p99: true },
  patch: { ratio: 4, p99: true },
  list: { ratio: 8 },
};

/** @param {Bench} bench @param {Contender} contender @param {ObjectKind} kind @param {Operation} operation @param {Bounds} bounds @param {number} inFlight */
async function run({ pool, fixtures }, contender, kind, operation, bounds, inFlight) {
  const collection = await fixtures.collection(contender, kind, prefix, objects, kind);
  const connections = Math.min(2, inFlight);
  const job = {
    endpoint: contender.endpoint,
    protocol: /** @type {const} */ ('h2'),
    collection,
    operation,
    inFlight,
    connections,
    bounds,
  };
  return withLoad(contender, () => pool.runObjects(job, timeoutMs));
}

/** @param {Bench} bench @param {ObjectKind} kind @param {string} id @param {string} title @param {Operation} operation @param {Goal} [goal] @returns {Step} */
function rateStep(bench, kind, id, title, operation, goal) {
  const { plan } = bench;
  return {
    rows: [{ id: `${kind}-${id}`, title: `${kind}: ${title}`, group: groupOf(kind), unit: 'rate', goal }],
    measure: async (contender, round) => {
      const warmupMs = round === 0 ? plan.coldWarmupMs / 2 : plan.warmupMs;
      const bounds = { warmupMs, durationMs: plan.objectMs, minOps: 1, minBytes: 0 };
      const { result, load } = await run(bench, contender, kind, operation, bounds, plan.inFlight);
      return { [`${kind}-${id}`]: rateSample(result, load) };
    },
  };
}

/** @param {Bench} bench @param {ObjectKind} kind @param {string} id @param {string} title @param {string} accept @param {Goal} [goal] @returns {Step} */
function listStep(bench, kind, id, title, accept, goal) {
  const { plan } = bench;
  const operation = /** @type {const} */ ({ kind: 'list', query: '', accept, paged: false });
  return {
    rows: [{ id: `${kind}-${id}`, title: `${kind}: ${title}`, group: groupOf(kind), unit: 'milliseconds', goal }],
    measure: async (contender) => {
      const minBytes = objects * bytesPerObject;
      const bounds = { warmupMs: 0, warmupOps: 1, durationMs: plan.listMs, minOps: 1, minBytes };
      const { result, load } = await run(bench, contender, kind, operation, bounds, 1);
      return { [`${kind}-${id}`]: durationSample(result, load) };
    },
  };
}

/** Deletes what was created, unmeasured, so that lists have the same length in every round. @param {Bench} bench @param {ObjectKind} kind @returns {Step} */
function createStep(bench, kind) {
  const { plan } = bench;
  const id = `${kind}-create`;
  return {
    rows: [{ id, title: `${kind}: create`, group: groupOf(kind), unit: 'rate', goal: goals.create }],
    measure: async (contender, round) => {
      const made = `new-${round}`;
      const warmupMs = round === 0 ? plan.coldWarmupMs / 2 : plan.warmupMs;
      const bounds = { warmupMs, durationMs: plan.objectMs, minOps: 1, minBytes: 0 };
      const create = /** @type {const} */ ({ kind: 'create', prefix: made, count: endless, of: kind });
      const { result, load } = await run(bench, contender, kind, create, bounds, plan.inFlight);
      const remove = /** @type {const} */ ({ kind: 'delete', prefix: made, counts: result.startedByShare });
      await run(bench, contender, kind, remove, { ...bounds, warmupMs: 0, durationMs: timeoutMs }, plan.inFlight);
      return { [id]: rateSample(result, load) };
    },
  };
}

/** @param {Bench} bench @param {ObjectKind} kind @returns {Step[]} */
function stepsOf(bench, kind) {
  const existing = { prefix, count: objects };
  return [
    createStep(bench, kind),
    rateStep(bench, kind, 'get', 'get', { kind: 'get', ...existing }, goals.get),
    rateStep(bench, kind, 'get-protobuf', 'get, protobuf', { kind: 'get', ...existing, accept: protobuf }, goals.get),
    rateStep(bench, kind, 'patch', 'merge patch', { kind: 'patch', ...existing, of: kind }, goals.patch),
    listStep(bench, kind, 'list', 'list 2k', json, goals.list),
    listStep(bench, kind, 'list-protobuf', 'list 2k, protobuf', protobuf, goals.list),
  ];
}

/** Custom resources have no protobuf encoding. @param {Bench} bench @returns {Step[]} */
function customSteps(bench) {
  const existing = { prefix, count: objects };
  return [
    createStep(bench, 'crontabs'),
    rateStep(bench, 'crontabs', 'get', 'get', { kind: 'get', ...existing }, goals.get),
    rateStep(bench, 'crontabs', 'patch', 'merge patch', { kind: 'patch', ...existing, of: 'crontabs' }, goals.patch),
    listStep(bench, 'crontabs', 'list', 'list 2k', json, { ratio: 12 }),
  ];
}

/** @param {Bench} bench @returns {Step[]} */
export function kindSteps(bench) {
  return [...stepsOf(bench, 'pods'), ...stepsOf(bench, 'deployments'), ...customSteps(bench)];
}
