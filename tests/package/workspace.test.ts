import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks, readDocument } from '../docs/documents.ts';
import { installFolder, notBuilt, pack, registryReachable, removeFolder, root, run, type Tarball } from './installed.ts';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The condition under which this workspace resolves its packages to their sources. */
const sourceCondition = 'tsukube-source';
/** By their names; folders of apps and packages differ. */
const parents = new Map(
  ['packages', 'apps'].flatMap((parent) => readdirSync(join(root, parent)).map((name) => [name, parent] as const)),
);
const folders = [...parents.keys()].filter((name) => name !== 'tsukube');
const placeOf = (name: string) => join(root, parents.get(name) as string, name);
const licence = readFileSync(join(root, 'LICENSE'), 'utf8');

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(placeOf(name), 'package.json'), 'utf8'));
}

/** The names of the packages that a compiled module imports, statically or dynamically. */
function importsOf(code: string): string[] {
  const specifiers = [...code.matchAll(/^(?:import|export)[^'"]*? from '([^'.][^']*)';$|\bimport\('([^'.][^']*)'\)/gm)];
  const packages = specifiers.map(([, from, dynamic]) => (from ?? dynamic) as string).filter((name) => !isBuiltin(name));
  return packages.map((name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  );
}

describe.skipIf(notBuilt)('the tarballs of the @tsukube packages', () => {
  const tarballs = new Map<string, Tarball>();
  let folder: string;

  beforeAll(() => {
    folder = installFolder([]);
    for (const name of folders) tarballs.set(name, pack(folder, name, parents.get(name)));
  }, 120_000);
  afterAll(() => removeFolder(folder));

  const filesOf = (name: string) => (tarballs.get(name) as Tarball).files.map(({ path }) => path);

  it.each(folders)('%s has a README, the licence, and compiled modules with their types only', (name) => {
    const rest = filesOf(name).filter((path) => !/^(dist|lib)\/.*\.(js|d\.ts)$/.test(path));
    const data = name === 'api' ? ['dist/descriptions.json'] : [];
    expect(rest.sort()).toEqual(['LICENSE', 'README.md', ...data, 'package.json']);
    expect(readFileSync(join(placeOf(name), 'LICENSE'), 'utf8')).toBe(licence);
  });

  it.each(folders)('%s contains everything that its exports name', (name) => {
    for (const conditions of Object.values(manifestOf(name).exports)) {
      const { [sourceCondition]: source, ...published } = conditions;
      expect(Object.keys(published)).toEqual(['types', 'default']);
      expect(source).toMatch(/^\.\/src\//);
      for (const path of Object.values(published)) expect(filesOf(name)).toContain(path.slice(2));
    }
  });

  it.each(folders)('%s declares every package that it imports', (name) => {
    const { dependencies, peerDependencies } = manifestOf(name);
    const modules = filesOf(name).filter((path) => path.endsWith('.js'));
    const imported = modules.flatMap((path) => importsOf(readFileSync(join(placeOf(name), path), 'utf8')));
    const declared = Object.keys({ ...dependencies, ...peerDependencies });
    expect([...new Set(imported)].filter((each) => !declared.includes(each))).toEqual([]);
  });
});

describe.skipIf(!registryReachable)('the @tsukube packages, installed outside of the workspace (needs the npm registry)', () => {
  const entries = folders.flatMap((name) =>
    Object.keys(manifestOf(name).exports).map((path) => join(manifestOf(name).name, path)),
  );
  const examples = folders.map(
    (name) => [name, codeBlocks(readDocument(`${parents.get(name)}/${name}/README.md`), 'ts')[0]?.code ?? ''] as const,
  );
  let folder: string;

  beforeAll(async () => {
    const packed = installFolder([]);
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const tools = [`vitest@${devDependencies.vitest}`, `@types/node@${devDependencies['@types/node']}`];
    folder = installFolder([...folders.map((name) => pack(packed, name, parents.get(name)).path), ...tools]);
    removeFolder(packed);
    for (const [name, code] of examples) {
      writeFileSync(join(folder, `${name}.ts`), code);
      writeFileSync(join(folder, `${name}.mjs`), (await transform(code, { loader: 'ts', format: 'esm', target: 'node20' })).code);
    }
  }, 300_000);
  afterAll(() => removeFolder(folder));

  it('are loaded by their entry points', () => {
    // The worker's entry point needs a parent thread, the contract suite a test runner.
    const loadable = entries.filter((entry) => !/\/(worker|contract)$/.test(entry));
    const program = loadable.map((entry) => `await import('${entry}');`).join('\n');
    expect(run(process.execPath, ['--input-type=module', '--eval', program], folder)).toMatchObject({ status: 0, stderr: '' });
  });

  it.each(examples)('%s: the example of the README runs', (name, code) => {
    expect(code).toContain(`from '@tsukube/${name}`);
    expect(run(process.execPath, [`${name}.mjs`], folder)).toMatchObject({ status: 0, stderr: '' });
  });

  it('have types', () => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
    };
    writeFileSync(join(folder, 'entries.ts'), entries.map((entry, i) => `export * as e${i} from '${entry}';\n`).join(''));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const { status, stdout } = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], folder);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});
