import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { kubeRequest } from '../harness/kube-request.mjs';
import { runTrials } from '../harness/suite.mjs';
import { helmTrials } from '../helm/trials.mjs';
import { simulateWorkloads } from '../helm/workloads.mjs';

/** @type {readonly { major: 3 | 4, version: string }[]} */
const releases = [
  { major: 3, version: 'v3.22.0' },
  { major: 4, version: 'v4.3.0' },
];

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'helm',
  title: 'Helm 3 and 4: install, upgrade, rollback, test, uninstall, with hooks and a restart',
  needs: ['go'],
  minutes: 40,
  async prepare(context) {
    for (const { major, version } of releases) {
      const module = `helm.sh/helm/v${major}/cmd/helm@${version}`;
      context.status(`building ${module}`);
      await context.exec('go', ['install', module], { env: { GOBIN: join(context.folder, `v${major}`) } });
    }
    return { version: releases.map(({ version }) => version).join(', '), folder: context.folder };
  },
  async *run(context, { folder }) {
    for (const { major } of releases) yield* release(context, folder, major);
  },
};

/** @param {import('../harness/suite.mjs').Context} context @param {string} folder @param {3 | 4} major */
async function* release(context, folder, major) {
  const server = await context.startServer(['--storage=lmdb']);
  const home = join(folder, `home-${major}`);
  mkdirSync(home, { recursive: true });
  const homes = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  const helm = (/** @type {readonly string[]} */ args, /** @type {Record<string, string>} */ env = {}) =>
    context.exec(join(folder, `v${major}`, 'helm'), args, { env: { KUBECONFIG: server.kubeconfig, ...homes, ...env } });
  const stop = simulateWorkloads(kubeRequest(server.kubeconfig));
  const trials = helmTrials(helm, server, { major, namespace: `helm-${major}` });
  const named = Object.entries(trials).map(([name, trial]) => [`Helm ${major}: ${name}`, trial]);
  yield* runTrials(Object.fromEntries(named));
  await stop();
  await server.stop();
}
