import { join } from 'node:path';
import { clusterOf, hostAddress } from '../aggregation/backend.mjs';
import { metricsServerTrials, startMetricsServer } from '../aggregation/metrics-server.mjs';
import { sampleApiServerTrials, startSampleApiServer } from '../aggregation/sample-apiserver.mjs';
import { fetchModule } from '../harness/go-module.mjs';
import { runTrials } from '../harness/suite.mjs';

const sampleVersion = 'v0.36.4';
const metricsVersion = 'v0.9.0';

/** @param {import('../harness/suite.mjs').Context} parent @param {string} module @param {string} version @param {string} package_ */
async function build(parent, module, version, package_) {
  const name = module.split('/').at(-1) ?? '';
  const context = { ...parent, folder: join(parent.folder, name) };
  await parent.exec('mkdir', ['-p', context.folder]);
  const { folder } = await fetchModule(context, module, version);
  parent.status(`building ${name}`);
  await parent.exec('nice', ['-n', '5', 'go', 'build', '-p', '1', '-mod=mod', '-o', join(context.folder, name), package_], {
    cwd: folder,
  });
}

/** @param {string} folder @param {string} name */
const built = (folder, name) => ({ program: join(folder, name, name), source: join(folder, name, 'source') });

/** @param {string} prefix @param {Record<string, () => Promise<void>>} trials */
const named = (prefix, trials) =>
  Object.fromEntries(Object.entries(trials).map(([name, trial]) => [`${prefix}: ${name}`, trial]));

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'aggregation',
  title: 'API servers in Go behind this one: sample-apiserver, metrics-server',
  needs: ['go', 'etcd', 'kubectl'],
  minutes: 45,
  async prepare(context) {
    hostAddress();
    await build(context, 'k8s.io/sample-apiserver', sampleVersion, '.');
    await build(context, 'sigs.k8s.io/metrics-server', metricsVersion, './cmd/metrics-server');
    return { version: `${sampleVersion}, ${metricsVersion}`, folder: context.folder };
  },
  async *run(context, { folder }) {
    const server = await context.startServer();
    const cluster = clusterOf(context, server);
    const sample = built(folder, 'sample-apiserver');
    const stopSample = await startSampleApiServer(cluster, sample);
    try {
      yield* runTrials(named('sample-apiserver', sampleApiServerTrials(cluster, sample.source)));
    } finally {
      stopSample();
    }
    const stopMetrics = await startMetricsServer(cluster, built(folder, 'metrics-server'));
    try {
      yield* runTrials(named('metrics-server', metricsServerTrials(cluster)));
    } finally {
      stopMetrics();
    }
  },
};
