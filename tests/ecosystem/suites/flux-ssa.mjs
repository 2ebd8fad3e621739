import { fetchModule } from '../harness/go-module.mjs';
import { goTest } from '../harness/go-test.mjs';

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'flux-ssa',
  title: 'suites of fluxcd/pkg/ssa, through envtest',
  needs: ['go'],
  minutes: 40,
  prepare: (context) => fetchModule(context, 'github.com/fluxcd/pkg/ssa', 'v0.78.0'),
  async *run(context, { folder }) {
    const env = { KUBEBUILDER_ASSETS: await context.assets() };
    yield* goTest(context, { cwd: folder, packages: ['./...'], args: ['-timeout=15m'], env });
  },
};
