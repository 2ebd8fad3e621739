import { fetchModule } from '../harness/go-module.mjs';
import { goTest } from '../harness/go-test.mjs';

const version = 'v1.14.2';

/** Packages whose suites start an API server. Most reconciler suites are missing, because they need the admission webhooks of Cluster API. */
const packages = [
  './controllers/clustercache',
  './controllers/crdmigrator',
  './core/reconcilers/topology/cluster/structuredmerge',
  './internal/util/ssa/test',
  './util/controller',
  './util/deprecated/v1beta1/patch',
  './util/patch/test',
];

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'cluster-api',
  title: 'CRD migrator, patch and apply helpers, through envtest',
  needs: ['go'],
  minutes: 60,
  async prepare(context) {
    const prepared = await fetchModule(context, 'sigs.k8s.io/cluster-api', version);
    // go.mod references a module of the same repository by a relative path.
    await context.exec('go', ['mod', 'edit', `-require=sigs.k8s.io/cluster-api/api@${version}`], { cwd: prepared.folder });
    return prepared;
  },
  async *run(context, { folder }) {
    const env = { KUBEBUILDER_ASSETS: await context.assets() };
    yield* goTest(context, { cwd: folder, packages, args: ['-timeout=20m'], env });
  },
};
