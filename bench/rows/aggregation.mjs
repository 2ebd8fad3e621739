import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantileOf } from '../driver/histogram.mjs';
import { collection, registerAggregated, startAggregated, unregisterAggregated } from '../servers/aggregated.mjs';
import { residentMiB } from '../servers/processes.mjs';
import { rateSample, withLoad } from './sample.mjs';

/**
 * Cost of the way through the server to an aggregated API server.
 *
 * @typedef {import('./row.mjs').Row} Row
 * @typedef {import('./row.mjs').Step} Step
 * @typedef {import('./row.mjs').Contender} Contender
 * @typedef {import('./objects.mjs').Bench} Bench
 * @typedef {import('../driver/connection.mjs').Endpoint} Endpoint
 */

const group = 'Aggregation';
const connections = 2;
const timeoutMs = 60_000;
const watches = 1000;
const watchesPerConnection = 50;

/** @type {Row} */
const rate = {
  id: 'aggregation-get',
  title: 'get from an aggregated API server',
  group,
  unit: 'rate',
  goal: { ratio: 3, p99: true },
};
/** @type {Row} */
const alone = { id: 'aggregation-alone', title: 'p50 of the aggregated server alone', group, unit: 'milliseconds' };
/** @type {Row} */
const added = {
  id: 'aggregation-added',
  title: 'time added to that, one request at a time',
  group,
  unit: 'milliseconds',
  goal: { atMost: 1 },
};
/** @type {Row} */
const memory = { id: 'aggregation-watches', title: 'memory of 1k proxied watches', group, unit: 'mebibytes' };

/** @param {Bench} bench @param {Endpoint} endpoint @param {number} inFlight @param {number} round */
function gets({ pool, plan }, endpoint, inFlight, round) {
  const job = {
    endpoint,
    protocol: /** @type {const} */ ('h2'),
    collection,
    operation: { kind: /** @type {const} */ ('get'), prefix: 'p', count: 100 },
    inFlight,
    connections: Math.min(connections, inFlight),
    bounds: { warmupMs: round === 0 ? plan.coldWarmupMs : plan.warmupMs, durationMs: plan.objectMs, minOps: 1, minBytes: 0 },
  };
  return pool.runObjects(job, timeoutMs);
}

/** Opens watches and resolves when each has received its first event. @param {Endpoint} endpoint @returns {Promise<() => void>} closes them */
async function openWatches({ host, port, ca, cert, key }) {
  const sessions = Array.from({ length: watches / watchesPerConnection }, () =>
    connect(`https://${host}:${port}`, { ca, cert, key }),
  );
  const opened = sessions.flatMap((session) =>
    Array.from({ length: watchesPerConnection }, () => {
      const stream = session.request({ ':path': `${collection}?watch=true` });
      return new Promise((resolve, reject) => stream.on('error', reject).once('data', resolve));
    }),
  );
  await Promise.all(opened);
  return () => {
    for (const session of sessions) session.destroy();
  };
}

/** @param {Contender} contender @param {number} settleMs */
async function watchMemory({ endpoint, pids }, settleMs) {
  if (pids.length === 0) return undefined;
  // The first watches load code and fill pools.
  (await openWatches(endpoint))();
  await sleep(settleMs);
  const before = residentMiB(pids);
  const close = await openWatches(endpoint);
  await sleep(settleMs);
  const during = residentMiB(pids);
  close();
  return before === undefined || during === undefined ? undefined : { value: during - before };
}

/** @param {Bench} bench @returns {Step} */
function step(bench) {
  return {
    rows: [rate, alone, added, memory],
    measure: async (contender, round) => {
      const server = await startAggregated();
      // It does not authenticate.
      const direct = { ...contender.endpoint, host: '127.0.0.1', port: server.port, ca: server.ca, token: 'none' };
      try {
        await registerAggregated(contender, server);
        const { result, load } = await withLoad(contender, () => gets(bench, contender.endpoint, bench.plan.inFlight, round));
        const own = quantileOf((await gets(bench, direct, 1, 1)).latencies, 0.5);
        const through = await gets(bench, contender.endpoint, 1, 1);
        const held = await watchMemory(contender, bench.plan.settleMs);
        const { failures, failureSamples } = through;
        return {
          [rate.id]: rateSample(result, load),
          [alone.id]: { value: own },
          [added.id]: { value: quantileOf(through.latencies, 0.5) - own, failures, failureSamples },
          ...(held && { [memory.id]: held }),
        };
      } finally {
        await unregisterAggregated(contender);
        server.stop();
      }
    },
  };
}

/** @param {Bench} bench @returns {Step[]} */
export function aggregationSteps(bench) {
  return [step(bench)];
}
