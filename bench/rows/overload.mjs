import { quantileOf } from '../driver/histogram.mjs';
import { bindEditors, tokenOf } from '../servers/access.mjs';
import { expect, request } from '../servers/api.mjs';

/**
 * Latency of health checks and system traffic at ten times the capacity of the server.
 *
 * @typedef {import('./row.mjs').Row} Row
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./row.mjs').Sample} Sample
 * @typedef {import('./row.mjs').Contender} Contender
 * @typedef {import('./objects.mjs').Bench} Bench
 * @typedef {import('../driver/probe-job.mjs').Probe} Probe
 * @typedef {import('../driver/connection.mjs').Endpoint} Endpoint
 */

const group = 'Overload';
const factor = 10;
const objects = 2000;
const prefix = 'cm';
const users = 4;
const intervalMs = 25;
/** Capacity is measured with fewer requests in flight than would cause queueing. */
const capacityShape = { http2Connections: 4, http1Connections: 4, inFlight: 8 };
const floodShape = { http2Connections: 64, http1Connections: 64, inFlight: 64 };
const goal = { atMost: 100 };
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const node = 'bench-node';
const controller = { 'impersonate-user': 'system:kube-controller-manager' };
const kubelet = { 'impersonate-user': `system:node:${node}`, 'impersonate-group': 'system:nodes' };

/** @type {readonly (Omit<Probe, 'id'> & { id: string, title: string })[]} */
const probes = [
  { id: 'livez', title: '/livez', kind: 'get', protocol: 'h1', path: '/livez', isAnonymous: true },
  {
    id: 'livez-new',
    title: '/livez, a connection each',
    kind: 'get',
    protocol: 'h1',
    path: '/livez',
    isAnonymous: true,
    isFresh: true,
  },
  { id: 'readyz', title: '/readyz', kind: 'get', protocol: 'h1', path: '/readyz', isAnonymous: true },
  {
    id: 'lease-masters',
    title: 'lease renewed by system:masters',
    kind: 'renew',
    protocol: 'h1',
    path: `${leases}/bench-masters`,
  },
  {
    id: 'lease-controller',
    title: 'lease renewed by a controller',
    kind: 'renew',
    protocol: 'h2',
    path: `${leases}/bench-controller`,
    headers: controller,
  },
  {
    id: 'node-status',
    title: 'status of a node',
    kind: 'status',
    protocol: 'h2',
    path: `/api/v1/nodes/${node}/status`,
    headers: kubelet,
  },
];
/** @type {Row} */
const carried = { id: 'overload-capacity', title: 'requests carried', group, unit: 'rate' };
/** @type {Row} */
const offered = { id: 'overload-offered', title: `requests offered, ${factor} times as many`, group, unit: 'rate' };
/** @type {Row} */
const succeeded = { id: 'overload-succeeded', title: 'of which succeeded', group, unit: 'rate' };
/** @type {Row} */
const refused = { id: 'overload-refused', title: 'of which refused with 429', group, unit: 'rate' };
/** @type {Row[]} */
const probeRows = probes.map(({ id, title }) => ({ id: `overload-${id}`, title, group, unit: 'milliseconds', goal }));

/** @param {Endpoint} endpoint @param {string} path @param {object} object */
async function ensure(endpoint, path, object) {
  expect(await request(endpoint, 'POST', path, object), [201, 409]);
}

/** @param {Endpoint} endpoint */
async function makeProbed(endpoint) {
  for (const name of ['bench-masters', 'bench-controller'])
    await ensure(endpoint, leases, { metadata: { name }, spec: { holderIdentity: 'bench', leaseDurationSeconds: 15 } });
  await ensure(endpoint, '/api/v1/nodes', { metadata: { name: node } });
}

/** @param {Endpoint} endpoint @param {string} namespace @returns {Promise<Endpoint[]>} one for each user */
async function makeUsers(endpoint, namespace) {
  const names = Array.from({ length: users }, (_, i) => `flooder-${i}`);
  await bindEditors(endpoint, namespace, names);
  return Promise.all(names.map(async (name) => ({ ...endpoint, token: await tokenOf(endpoint, namespace, name) })));
}

/** @param {import('../driver/probe-job.mjs').ProbeOutcome} outcome @returns {Sample} */
function probeSample({ latencies, maxMs, failures, failureSamples }) {
  const p99 = quantileOf(latencies, 0.99);
  return { value: p99, p50: quantileOf(latencies, 0.5), p99, max: maxMs, failures, failureSamples };
}

/** @param {import('../driver/flood-job.mjs').FloodResult} flood @param {number} count @returns {Sample} */
function rate({ elapsedMs, cpuMs, wallMs }, count) {
  return { value: (count / elapsedMs) * 1000, driverBusy: cpuMs / wallMs };
}

/** @param {Bench} bench @returns {Step} */
export function overloadStep({ pool, fixtures, plan }) {
  const rows = [carried, offered, succeeded, refused, ...probeRows];
  /** @type {Map<Contender, Promise<Endpoint[]>>} */
  const prepared = new Map();
  return {
    rows,
    measure: async (contender, round) => {
      const { endpoint } = contender;
      const collection = await fixtures.collection(contender, 'overload', prefix, objects);
      const prepare = async () => {
        await makeProbed(endpoint);
        return makeUsers(endpoint, collection.split('/')[4]);
      };
      const preparing = prepared.get(contender) ?? prepare();
      prepared.set(contender, preparing);
      const shared = { endpoints: await preparing, collection, prefix, count: objects };
      const capacity = await pool.runFlood(
        { ...shared, ...capacityShape, created: `c${round}`, durationMs: plan.capacityMs },
        plan.capacityMs + 30_000,
      );
      const perSecond = (capacity.succeeded / capacity.elapsedMs) * 1000;
      const flood = pool.runFlood(
        { ...shared, ...floodShape, created: `f${round}`, ratePerSecond: perSecond * factor, durationMs: plan.overloadMs },
        plan.overloadMs + 60_000,
      );
      const probing = pool.runProbe(
        { endpoint, probes: [...probes], intervalMs, durationMs: plan.overloadMs },
        plan.overloadMs + 60_000,
      );
      const [load, { outcomes }] = await Promise.all([flood, probing]);
      return {
        [carried.id]: rate(capacity, capacity.succeeded),
        [offered.id]: rate(load, load.offered),
        [succeeded.id]: { ...rate(load, load.succeeded), failures: load.failed, failureSamples: load.failureSamples },
        [refused.id]: rate(load, load.refused),
        ...Object.fromEntries(Object.entries(outcomes).map(([id, outcome]) => [`overload-${id}`, probeSample(outcome)])),
      };
    },
  };
}
