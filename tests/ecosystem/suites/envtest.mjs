import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goTest } from '../harness/go-test.mjs';

/** @typedef {import('../harness/suite.mjs').Context} Context */

/** Versions of controller-runtime: the oldest whose dependencies build with a current Go, the newest, and some in between. */
const versions = ['v0.12.3', 'v0.16.1', 'v0.20.4', 'v0.25.2'];

const program = fileURLToPath(new URL('../envtest/envtest_test.go', import.meta.url));

/** @param {string} version */
function goMod(version) {
  return `module tsukube.test/envtest\n\ngo 1.20\n\nrequire sigs.k8s.io/controller-runtime ${version}\n`;
}

/** A Go module for one version. @param {Context} context @param {string} version */
async function prepareModule(context, version) {
  const folder = join(context.folder, version);
  const [mod, sums] = [join(folder, 'go.mod'), join(folder, 'go.sum')];
  mkdirSync(folder, { recursive: true });
  copyFileSync(program, join(folder, 'envtest_test.go'));
  if (existsSync(sums) && readFileSync(mod, 'utf8').includes(version)) return;
  context.status(`fetching controller-runtime ${version}`);
  writeFileSync(mod, goMod(version));
  await context.exec('go', ['mod', 'tidy'], { cwd: folder });
}

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'envtest',
  title: 'envtest of controller-runtime, old versions and new',
  needs: ['go'],
  minutes: 60,
  async prepare(context) {
    for (const version of versions) await prepareModule(context, version);
    return { version: `${versions[0]} – ${versions.at(-1)}`, folder: context.folder };
  },
  async *run(context, { folder }) {
    const env = { KUBEBUILDER_ASSETS: await context.assets() };
    for (const version of versions) {
      const results = goTest(context, { cwd: join(folder, version), packages: ['.'], args: ['-v', '-timeout=5m'], env });
      for await (const result of results) yield { ...result, test: `${version} ${result.test}` };
    }
  },
};
