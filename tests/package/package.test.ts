import { cpSync, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installFolder, nodes, notBuilt, pack, registryReachable, removeFolder, root, run, type Tarball } from './installed.ts';

const programs = join(import.meta.dirname, 'programs');
const megabyte = 1 << 20;
const manifest = JSON.parse(readFileSync(join(root, 'packages', 'tsukube', 'package.json'), 'utf8'));

describe.skipIf(notBuilt)('the tarball', () => {
  let tarball: Tarball;
  let folder: string;

  beforeAll(() => {
    folder = installFolder([]);
    tarball = pack(folder);
  });
  afterAll(() => removeFolder(folder));

  it('contains the program, its types, README and licences, and nothing else', () => {
    expect(tarball.files.map(({ path }) => path).sort()).toEqual(
      [
        'LICENSE',
        'README.md',
        'package.json',
        'dist/THIRD-PARTY-NOTICES.txt',
        'dist/descriptions.json',
        'dist/etcd.cjs',
        'dist/index.cjs',
        'dist/index.d.cts',
        'dist/index.d.mts',
        'dist/index.mjs',
        'dist/program.cjs',
        'dist/tsukube.cjs',
        'dist/worker.cjs',
      ].sort(),
    );
    expect(tarball.size).toBeLessThan(2 * megabyte);
  });

  it('has the licence of the project, and those of the bundled packages', () => {
    expect(readFileSync(join(root, 'packages/tsukube/LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
    const notices = readFileSync(join(root, 'packages/tsukube/dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['lmdb', 'protobufjs', 'kubernetes-models']) expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  it('depends on the native packages of the bundled LMDB version', () => {
    const lmdb = JSON.parse(readFileSync(join(root, 'node_modules/lmdb/package.json'), 'utf8'));
    expect(manifest.optionalDependencies).toEqual(lmdb.optionalDependencies);
  });

  it('is built with the code cache of this Node version', () => {
    const script = "[process.version, process.arch, require('node:v8').cachedDataVersionTag()].join('-')";
    const { stdout } = run(process.execPath, ['-p', script], root);
    expect(readdirSync(join(root, 'packages/tsukube/dist/cache'))).toContain(`${stdout.trim()}.cache`);
  });

  it('declares every package that it requires, and has no scripts', () => {
    // The bundler breaks long lines, also within string literals and calls.
    const program = readFileSync(join(root, 'packages/tsukube/dist/program.cjs'), 'utf8').replaceAll(/\\?\n/g, '');
    const required = [...program.matchAll(/\brequire\d*\("([^".][^"]*)"\)|createRequire\)?\(programUrl\)\("([^"]+)"\)/g)];
    const packages = new Set(
      required.map(([, plain, created]) => plain ?? (created as string)).filter((name) => !isBuiltin(name)),
    );
    expect([...packages].filter((name) => !['bufferutil', 'utf-8-validate'].includes(name)).sort()).toEqual(
      Object.keys(manifest.dependencies).sort(),
    );
    expect(manifest.scripts).toBeUndefined();
  });
});

describe.skipIf(!registryReachable)('the package, installed outside of the workspace (needs the npm registry)', () => {
  let folder: string;

  beforeAll(() => {
    const packed = installFolder([]);
    const types = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies;
    folder = installFolder([pack(packed).path, `vitest@${types.vitest}`, `@types/node@${types['@types/node']}`]);
    removeFolder(packed);
    cpSync(programs, folder, { recursive: true });
    renameSync(join(folder, 'vitest-fixture.ts'), join(folder, 'fixture.test.ts'));
  }, 300_000);
  afterAll(() => removeFolder(folder));

  it('installs five dependencies and a native one, none with an install script', () => {
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
    const { dependencies, optionalDependencies } = lock['node_modules/tsukube'];
    expect(Object.keys(dependencies)).toEqual(['mysql2', 'pg', 're2js', 'ws', 'yaml']);
    const all = ['tsukube', ...Object.keys({ ...dependencies, ...optionalDependencies })];
    for (const name of all) expect(lock[`node_modules/${name}`]).not.toHaveProperty('hasInstallScript');
    expect(existsSync(join(folder, 'node_modules/lmdb'))).toBe(false);
  });

  it.each(nodes())(
    'runs under node:test as a module and by require, Node %s',
    (_, node) => {
      for (const file of ['esm.test.mjs', 'require.test.cjs']) {
        const { status, stdout, stderr } = run(node, ['--test', file], folder);
        expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
      }
    },
    120_000,
  );

  it.each(nodes())('runs under vitest, Node %s', (_, node) => {
    const { status, stdout, stderr } = run(node, ['node_modules/vitest/vitest.mjs', 'run', 'fixture.test.ts'], folder);
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
  });

  it.each(nodes())('is imported within 150 ms of CPU, Node %s', (_, node) => {
    writeFileSync(join(folder, 'import.mjs'), importProgram);
    const runs = Array.from({ length: 5 }, () => Number(run(node, ['import.mjs'], folder).stdout));
    expect(Math.min(...runs)).toBeGreaterThan(0);
    expect(Math.min(...runs)).toBeLessThan(150);
  });

  it.each(nodes())(
    'starts a server within 100 ms of CPU, and resets it within 20, Node %s',
    (_, node) => {
      writeFileSync(join(folder, 'measure.mjs'), measureProgram);
      const runs = Array.from({ length: 3 }, () => JSON.parse(run(node, ['measure.mjs'], folder).stdout) as Measured);
      expect(Math.min(...runs.map(({ start }) => start))).toBeLessThan(100);
      expect(Math.min(...runs.map(({ reset }) => reset))).toBeLessThan(20);
    },
    120_000,
  );

  it.each(nodes())('writes a V8 code cache for the next process, Node %s', (_, node) => {
    const cache = join(folder, 'node_modules/tsukube/dist/cache');
    writeFileSync(join(folder, 'start.mjs'), startProgram);
    run(node, ['start.mjs'], folder);
    const files = readdirSync(cache);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((name) => !/^v[\d.]+-\w+-\d+\.cache$/.test(name))).toEqual([]);
    const times = files.map((name) => statSync(join(cache, name)).mtimeMs);
    expect(run(node, ['start.mjs'], folder)).toMatchObject({ status: 0, stderr: '' });
    expect(files.map((name) => statSync(join(cache, name)).mtimeMs)).toEqual(times);
  });

  it('has the tsukube command', () => {
    const command = join(folder, 'node_modules', '.bin', 'tsukube');
    expect(run(command, ['version'], folder).stdout).toMatch(new RegExp(`^tsukube ${manifest.version} `));
    expect(run(command, ['serve', '--help'], folder).stdout).toContain('--secure-port PORT');
  });

  it('creates the binaries for envtest', () => {
    const assets = join(folder, 'assets');
    const command = join(folder, 'node_modules', '.bin', 'tsukube');
    expect(run(command, ['envtest', '--dir', assets], folder).stdout).toBe(`export KUBEBUILDER_ASSETS='${assets}'\n`);
    expect(readdirSync(assets)).toEqual(expect.arrayContaining(['etcd', 'kube-apiserver']));
    expect(run(join(assets, 'kube-apiserver'), ['--version'], folder)).toMatchObject({ status: 0, stderr: '' });
  });

  it('has types for ES modules and CommonJS', () => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023'],
      strict: true,
      noEmit: true,
      types: ['node'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.mts', 'types.cts'] }));
    const { status, stdout } = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], folder);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});

const importProgram = `
const before = process.cpuUsage();
await import('tsukube');
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
`;

interface Measured {
  readonly start: number;
  readonly reset: number;
}

/** Prints medians of CPU time, because other programs may run at the same time. */
const measureProgram = `
import { startServer } from 'tsukube';

async function cpu(action) {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function median(count, action) {
  const times = [];
  for (let i = 0; i < count; i++) times.push(await action());
  return times.sort((a, b) => a - b)[count >> 1];
}

const create = async (server, writer) => {
  for (let i = 0; i < 30; i++) {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: writer + '-' + i } };
    await (await server.fetch('/api/v1/namespaces/default/configmaps', { method: 'POST', body })).arrayBuffer();
  }
};

let server;
const start = await median(9, async () => {
  await server?.close();
  return cpu(async () => { server = await startServer(); });
});
const reset = await median(3, async () => {
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((writer) => create(server, writer)));
  return cpu(() => server.reset());
});
await server.close();
console.log(JSON.stringify({ start, reset }));
`;

const startProgram = `
import { startServer } from 'tsukube';
const server = await startServer();
await server.close();
`;
