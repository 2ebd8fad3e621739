import { fetchModule } from '../harness/go-module.mjs';
import { goTest } from '../harness/go-test.mjs';

/** The packages whose suites start an API server, and those that test envtest itself. */
const packages = [
  './pkg/builder',
  './pkg/cache',
  './pkg/client',
  './pkg/client/apiutil',
  './pkg/cluster',
  './pkg/controller',
  './pkg/controller/controllerutil',
  './pkg/envtest',
  './pkg/handler',
  './pkg/internal/controller',
  './pkg/internal/recorder',
  './pkg/internal/testing/controlplane',
  './pkg/manager',
  './pkg/manager/internal/integration',
  './pkg/metrics/filters',
  './pkg/metrics/server',
  './pkg/reconcile',
  './pkg/source',
  './pkg/webhook',
  './pkg/webhook/authentication',
];

/** Subtests that download kube-apiserver 1.28 and test that. */
const ofOtherServers = '.*/aggregatedDiscovery=false';

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'controller-runtime',
  title: 'its own suites, through envtest',
  needs: ['go'],
  minutes: 60,
  prepare: (context) => fetchModule(context, 'sigs.k8s.io/controller-runtime', 'v0.24.1'),
  async *run(context, { folder }) {
    const env = { KUBEBUILDER_ASSETS: await context.assets() };
    yield* goTest(context, { cwd: folder, packages, args: ['-timeout=20m', `-skip=${ofOtherServers}`], env });
  },
};
