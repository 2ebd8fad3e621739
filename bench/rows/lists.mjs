import { tenthSelector } from '../driver/config-map.mjs';
import { protocolNames } from './objects.mjs';
import { shortCount } from './row.mjs';
import { durationSample, rateSample, withLoad } from './sample.mjs';

/**
 * @typedef {import('./row.mjs').Row} Row
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./row.mjs').Contender} Contender
 * @typedef {import('./objects.mjs').Bench} Bench
 * @typedef {import('../driver/connection.mjs').Protocol} Protocol
 *
 * bytesPerObject is the minimum of a complete response for each object in the namespace.
 * @typedef {{ id: string, title: string, query: string, accept: string, paged: boolean, bytesPerObject: number, ratio?: number }} Variant
 */

const json = 'application/json';
const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const pageSize = 500;
const pageInFlight = 8;
const http2Connections = 2;
const timeoutMs = 120_000;
/** In shorter lists the overhead of the request dominates. */
const goalFrom = 10_000;

/** @type {readonly Variant[]} */
const variants = [
  { id: 'whole', title: 'whole', query: '', accept: json, paged: false, bytesPerObject: 1000, ratio: 8 },
  { id: 'paged', title: 'in pages of 500', query: `limit=${pageSize}`, accept: json, paged: true, bytesPerObject: 1000 },
  {
    id: 'label',
    title: 'a tenth by label',
    query: `labelSelector=${tenthSelector}`,
    accept: json,
    paged: false,
    bytesPerObject: 100,
  },
  { id: 'table', title: 'as Table', query: '', accept: table, paged: false, bytesPerObject: 200, ratio: 6 },
];

/** @param {Bench} bench @param {Contender} contender @param {number} size */
export function listCollection(bench, contender, size) {
  return bench.fixtures.collection(contender, `list-${size}`, 'cm', size);
}

/** @param {Bench} bench @param {number} size @param {Variant} variant @param {Protocol} protocol @returns {Step} */
function listStep(bench, size, variant, protocol) {
  const { plan, pool } = bench;
  const suffix = protocol === 'h1' ? '-h1' : '';
  const id = `list-${shortCount(size)}-${variant.id}${suffix}`;
  const title = `list ${shortCount(size)}, ${variant.title}${suffix && `, ${protocolNames.h1}`}`;
  const goal = variant.ratio && size >= goalFrom ? { ratio: variant.ratio } : undefined;
  return {
    rows: [{ id, title, group: 'Lists', unit: 'milliseconds', goal }],
    measure: async (contender) => {
      const job = {
        endpoint: contender.endpoint,
        protocol,
        collection: await listCollection(bench, contender, size),
        operation: { kind: /** @type {const} */ ('list'), query: variant.query, accept: variant.accept, paged: variant.paged },
        inFlight: 1,
        connections: 1,
        bounds: { warmupMs: 0, warmupOps: 1, durationMs: plan.listMs, minOps: 1, minBytes: size * variant.bytesPerObject },
      };
      const { result, load } = await withLoad(contender, () => pool.runObjects(job, timeoutMs));
      return { [id]: durationSample(result, load) };
    },
  };
}

/** @param {Bench} bench @param {number} size of the namespace @param {Protocol} protocol @returns {Step} */
function pageStep(bench, size, protocol) {
  const { plan, pool } = bench;
  const id = `page-${protocol}`;
  return {
    rows: [{ id, title: `page of 500, ${protocolNames[protocol]}`, group: 'Lists', unit: 'rate', goal: { ratio: 12 } }],
    measure: async (contender) => {
      const job = {
        endpoint: contender.endpoint,
        protocol,
        collection: await listCollection(bench, contender, size),
        operation: { kind: /** @type {const} */ ('list'), query: `limit=${pageSize}`, accept: json, paged: false },
        inFlight: pageInFlight,
        connections: protocol === 'h2' ? http2Connections : pageInFlight,
        bounds: {
          warmupMs: Math.max(plan.warmupMs, plan.coldWarmupMs / 3),
          durationMs: plan.objectMs,
          minOps: 1,
          minBytes: pageSize * 1000,
        },
      };
      const { result, load } = await withLoad(contender, () => pool.runObjects(job, timeoutMs));
      return { [id]: rateSample(result, load) };
    },
  };
}

/** @param {Bench} bench @returns {Step[]} */
export function listSteps(bench) {
  const { listSizes } = bench.plan;
  const middle = Math.min(10_000, Math.max(...listSizes));
  return [
    pageStep(bench, middle, 'h2'),
    pageStep(bench, middle, 'h1'),
    ...listSizes.flatMap((size) => variants.map((variant) => listStep(bench, size, variant, 'h2'))),
    listStep(bench, middle, variants[0], 'h1'),
  ];
}
