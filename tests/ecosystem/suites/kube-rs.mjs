import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trialProgram } from '../harness/trial-program.mjs';

const version = '5.0.0';
const crates = ['kube', 'kube-client', 'kube-core', 'kube-derive', 'kube-runtime'];
const tested = ['kube', 'kube-client', 'kube-runtime'];
const trial = fileURLToPath(new URL('../kube-rs/', import.meta.url));

/** Features of `kube`, without those that need C libraries. */
const features = ['derive', 'runtime', 'ws', 'unstable-runtime', 'unstable-client', 'jsonpatch', 'gzip'];
const ofClient = ['ws', 'unstable-client', 'rustls-tls', 'ring', 'gzip', 'jsonpatch'];
const featureList = [
  ...features.map((name) => `kube/${name}`),
  ...ofClient.map((name) => `kube-client/${name}`),
  'kube-runtime/unstable-runtime',
].join(',');
const selection = ['--lib', ...tested.flatMap((name) => ['-p', name]), '--features', featureList];

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'kube-rs',
  title: 'its ignored integration tests; watchers, reflectors and a controller, with restarts',
  needs: ['rust'],
  minutes: 60,
  async prepare(context) {
    await layOut(context);
    context.status('compiling');
    await context.exec('cargo', ['test', '--quiet', '--no-run', ...selection], { env: target(context) });
    await context.exec('cargo', ['build', '--quiet', '-p', 'trial'], { env: target(context) });
    return { version, folder: context.folder };
  },
  async *run(context, { folder }) {
    const { kubeconfig } = await context.startServer();
    yield* ignoredTests(context, kubeconfig);
    yield* trialProgram(context, { command: join(folder, 'target', 'debug', 'trial'), args: [], prefix: 'trial: ' });
  },
};

/** A workspace of the published crates, whose sources include the tests. @param {import('../harness/suite.mjs').Context} context */
async function layOut(context) {
  const { folder } = context;
  const stamp = join(folder, 'version');
  cpSync(trial, join(folder, 'trial'), { recursive: true });
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === version) return;
  context.status(`fetching kube ${version}`);
  writeFileSync(join(folder, 'Cargo.toml'), workspace([]));
  const output = await context.exec('cargo', ['metadata', '--format-version=1']);
  /** @type {{ packages: { name: string, version: string, manifest_path: string }[] }} */
  const { packages } = JSON.parse(output.slice(output.indexOf('{"packages"')));
  for (const name of crates) {
    const found = packages.find((each) => each.name === name && each.version === version);
    if (found === undefined) throw new Error(`cargo did not fetch ${name} ${version}`);
    rmSync(join(folder, name), { recursive: true, force: true });
    cpSync(join(found.manifest_path, '..'), join(folder, name), { recursive: true });
    rmSync(join(folder, name, 'Cargo.lock'), { force: true });
  }
  for (const name of ['kube-client', 'kube-runtime']) restoreDevDependency(join(folder, name, 'Cargo.toml'));
  writeFileSync(join(folder, 'Cargo.toml'), workspace(crates));
  writeFileSync(stamp, version);
}

/** @param {readonly string[]} members */
function workspace(members) {
  const patches = members.map((name) => `${name} = { path = "${name}" }`);
  return [
    '[workspace]',
    'resolver = "2"',
    `members = ${JSON.stringify(['trial', ...members])}`,
    '[profile.dev]',
    'debug = 0',
    ...(members.length > 0 ? ['[patch.crates-io]', ...patches] : []),
    '',
  ].join('\n');
}

/** Publishing a crate drops development dependencies that have a path only. @param {string} manifest */
function restoreDevDependency(manifest) {
  const dependency = '\n[dev-dependencies.kube]\npath = "../kube"\nfeatures = ["derive", "client", "ws", "runtime"]\n';
  writeFileSync(manifest, readFileSync(manifest, 'utf8') + dependency);
}

/** @param {import('../harness/suite.mjs').Context} context @param {string} kubeconfig */
async function* ignoredTests(context, kubeconfig) {
  const args = ['test', '--no-fail-fast', ...selection, '--', '--ignored', '--test-threads=1'];
  const running = context.spawn('cargo', args, { env: { ...target(context), KUBECONFIG: kubeconfig } });
  let crate = '';
  for await (const line of running.lines) {
    crate = /^\s*Running unittests .*\/(\w+)-[0-9a-f]+\)$/.exec(line)?.[1] ?? crate;
    const [, name, outcome] = /^test (\S+).* \.\.\. (ok|FAILED|ignored)/.exec(line) ?? [];
    if (name === undefined) continue;
    const test = `${crate} ${name}`;
    if (outcome === 'FAILED') yield { test, outcome: /** @type {const} */ ('failed'), detail: 'see the log of the suite' };
    else yield { test, outcome: /** @type {const} */ (outcome === 'ok' ? 'passed' : 'skipped') };
  }
  if (crate === '') throw new Error(`cargo test ended with ${await running.exited} and ran nothing`);
}

/** @param {import('../harness/suite.mjs').Context} context */
const target = ({ folder }) => ({ CARGO_TARGET_DIR: join(folder, 'target') });
