import https from 'node:https';
import { createDefinition } from '../servers/api.mjs';
import { residentMiB } from '../servers/processes.mjs';

/**
 * Thousands of CRDs: time until each is served, and memory of all.
 * @typedef {import('./row.mjs').Row} Row
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./objects.mjs').Bench} Bench
 */

const count = 2000;
const groups = 100;
const group = 'Custom resources';
/** @type {Row} */
const served = { id: 'crds-2000', title: '2k definitions: each, until served', group, unit: 'milliseconds' };
/** @type {Row} */
const memory = { id: 'crds-2000-memory', title: '2k definitions: memory', group, unit: 'mebibytes' };

const field = { type: 'string', maxLength: 64, description: 'A field that says something about the thing it belongs to.' };

/** The size of an average CRD in use. @param {number} depth @returns {object} */
function schemaOf(depth) {
  if (depth === 0) return field;
  const properties = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`field${i}`, schemaOf(depth - 1)]));
  return { type: 'object', description: 'A part of the thing, which has parts itself.', properties };
}

/** @param {number} index */
function definition(index) {
  const [plural, name] = [`things${index}`, `g${index % groups}.bench.example.com`];
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: schemaOf(3) } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${name}` },
    spec: {
      group: name,
      scope: 'Namespaced',
      names: { plural, singular: `thing${index}`, kind: `Thing${index}`, listKind: `Thing${index}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

/** Sequential, and only once, because CRDs are not removed. @param {Bench} bench @returns {Step} */
export function definitionsStep({ plan }) {
  return {
    rows: [served, memory],
    measure: async ({ endpoint, pids }) => {
      const agent = new https.Agent({ keepAlive: true });
      const before = residentMiB(pids);
      /** @type {number[]} */
      const times = [];
      for (let i = 0; i < count; i++) {
        const begun = performance.now();
        await createDefinition(endpoint, definition(i), agent);
        times.push(performance.now() - begun);
      }
      agent.destroy();
      await new Promise((resolve) => setTimeout(resolve, plan.loadedSettleMs));
      const after = residentMiB(pids);
      times.sort((a, b) => a - b);
      const value = times.reduce((sum, time) => sum + time, 0) / count;
      const sample = { value, p50: times[count >> 1], p99: times[Math.floor(count * 0.99)] };
      if (before === undefined || after === undefined) return { [served.id]: sample };
      return { [served.id]: sample, [memory.id]: { value: after - before } };
    },
  };
}
