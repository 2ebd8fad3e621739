import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectionPath } from '../driver/manifest.mjs';
import { createNamespace, expect, request } from '../servers/api.mjs';
import { cpuMs } from '../servers/processes.mjs';
import { shortCount } from './row.mjs';

/**
 * Controllers at rest, and cascades: the deletion of a namespace, and of the dependents of an object. The peer needs a kube-controller-manager; without
 * one its rows stay empty.
 *
 * @typedef {import('./row.mjs').Row} Row
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./row.mjs').Contender} Contender
 * @typedef {import('./objects.mjs').Bench} Bench
 */

const group = 'Controllers';
const objects = 10_000;
const inFlight = 64;
const intervalMs = 10;
/** kube-controller-manager sends 20 requests a second by default: the dependents take it a quarter of an hour. */
const timeoutMs = 1_800_000;
/** Controllers create the ServiceAccount of a namespace within this time, if there are any. */
const probeMs = 10_000;
const goal = { ratio: 3 };
/** A server at rest collects garbage and releases memory for this long. */
const settleMs = 40_000;

/** @type {Row} */
const idleRow = {
  id: 'controllers-idle',
  title: 'CPU in a second without requests',
  group,
  unit: 'milliseconds',
  goal: { atMost: 2 },
};
/** @type {Row} */
const namespaceRow = {
  id: 'controllers-namespace',
  title: `deletion of a namespace with ${shortCount(objects)} objects`,
  group,
  unit: 'milliseconds',
  goal,
};
/** @type {Row} */
const dependentsRow = {
  id: 'controllers-dependents',
  title: `garbage collection of ${shortCount(objects)} dependents`,
  group,
  unit: 'milliseconds',
  goal,
};

/** @param {() => Promise<boolean>} isTrue @param {number} limitMs @returns {Promise<boolean>} whether it became true in time */
async function becomes(isTrue, limitMs) {
  const end = performance.now() + limitMs;
  while (!(await isTrue())) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
  return true;
}

/** @param {Contender} contender @param {string} path @param {https.Agent} agent */
async function isGone({ endpoint }, path, agent) {
  return (await request(endpoint, 'GET', path, undefined, agent)).status === 404;
}

/** Objects of the benchmark in a namespace; others have no label. @param {Contender} contender @param {string} path @param {https.Agent} agent */
async function isEmpty({ endpoint }, path, agent) {
  const { text } = await request(endpoint, 'GET', `${path}?limit=1&labelSelector=bench`, undefined, agent);
  return JSON.parse(text).items.length === 0;
}

/** @param {Contender} contender @param {string} path @param {object[]} owners @param {https.Agent} agent */
async function fill({ endpoint }, path, owners, agent) {
  let next = 0;
  const create = async () => {
    for (let i = next++; i < objects; i = next++) {
      const metadata = { name: `o${i}`, labels: { bench: 'x' }, ownerReferences: owners };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { key: 'value' } };
      expect(await request(endpoint, 'POST', path, object, agent), [201]);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, create));
}

/** @param {Bench} bench @returns {Step} */
export function idleStep({ plan }) {
  return {
    rows: [idleRow],
    measure: async ({ pids }) => {
      if (pids.length === 0) return {};
      await sleep(settleMs);
      const before = cpuMs(pids);
      await sleep(plan.idleMs);
      return { [idleRow.id]: { value: ((cpuMs(pids) - before) / plan.idleMs) * 1000 } };
    },
  };
}

/**
 * Deletes something in a namespace of its own and waits for the end of the cascade.
 * @param {Row} row @param {(contender: Contender, namespace: string, agent: https.Agent) => Promise<{ path: string, isDone: () => Promise<boolean> }>} prepare
 * @returns {Step}
 */
function cascadeStep(row, prepare) {
  return {
    rows: [row],
    measure: async (contender, round) => {
      const agent = new https.Agent({ keepAlive: true, maxSockets: inFlight });
      const namespace = `${row.id}-${Date.now().toString(36)}-${round}`;
      try {
        await createNamespace(contender.endpoint, namespace);
        const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
        if (!(await becomes(async () => !(await isGone(contender, account, agent)), probeMs))) return {};
        const { path, isDone } = await prepare(contender, namespace, agent);
        const begun = performance.now();
        expect(await request(contender.endpoint, 'DELETE', path, undefined, agent), [200, 202]);
        if (!(await becomes(isDone, timeoutMs))) throw new Error('the cascade did not end in time');
        return { [row.id]: { value: performance.now() - begun } };
      } finally {
        await request(contender.endpoint, 'DELETE', `/api/v1/namespaces/${namespace}`, undefined, agent);
        agent.destroy();
      }
    },
  };
}

/** @type {Step} */
const namespaceStep = cascadeStep(namespaceRow, async (contender, namespace, agent) => {
  await fill(contender, collectionPath(namespace, 'configmaps'), [], agent);
  const path = `/api/v1/namespaces/${namespace}`;
  return { path, isDone: () => isGone(contender, path, agent) };
});

/** @type {Step} */
const dependentsStep = cascadeStep(dependentsRow, async (contender, namespace, agent) => {
  const collection = collectionPath(namespace, 'configmaps');
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } };
  const answer = await request(contender.endpoint, 'POST', collection, owner, agent);
  expect(answer, [201]);
  const { uid } = JSON.parse(answer.text).metadata;
  await fill(contender, collection, [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }], agent);
  return { path: `${collection}/owner`, isDone: () => isEmpty(contender, collection, agent) };
});

/** @returns {Step[]} */
export function controllerSteps() {
  return [namespaceStep, dependentsStep];
}
