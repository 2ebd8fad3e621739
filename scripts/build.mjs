import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fingerprint } from './fingerprint.mjs';
import { install } from './install.mjs';
import { root } from './root.mjs';

const output = join(root, 'packages', 'cli', 'dist');
const stamp = join(output, 'build.stamp');

/** What `npm start` runs. */
export const bundle = join(output, 'tsukube.js');

/** Installs, type-checks, compiles and bundles whatever is not up to date. */
export async function build() {
  install();
  const print = fingerprint();
  if (existsSync(bundle) && existsSync(stamp) && readFileSync(stamp, 'utf8') === print) return;
  compile();
  describeTypes();
  await makeBundle();
  writeFileSync(stamp, print);
}

function compile() {
  if (!runs('node_modules/typescript/bin/tsc', '-b')) throw new Error('the TypeScript compiler found errors');
}

/** What the descriptions are taken from changes only with the dependencies. */
function describeTypes() {
  const descriptions = join(root, 'packages', 'builtin', 'dist', 'descriptions.json');
  if (existsSync(descriptions) && statSync(descriptions).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return;
  if (!runs('scripts/build-descriptions.mjs')) throw new Error('the descriptions of the built-in types could not be made');
}

function runs(script, ...args) {
  return spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0;
}

/** One file for what every start needs, and chunks for what is loaded when it is called for. */
async function makeBundle() {
  const { build: bundleWith } = await import('esbuild');
  const { outputFiles } = await bundleWith({
    absWorkingDir: root,
    entryPoints: { tsukube: 'packages/cli/src/bin.ts' },
    outdir: output,
    bundle: true,
    splitting: true,
    chunkNames: 'chunk-[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    // lmdb finds its native part relative to itself, yaml loses its names inside a bundle, the others are not installed.
    external: ['yaml', 'lmdb', 'bufferutil', 'utf-8-validate'],
    // CommonJS packages inside an ES module have no require of their own.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
    },
    legalComments: 'eof',
    logLevel: 'warning',
    write: false,
  });
  mkdirSync(output, { recursive: true });
  for (const { path, contents } of outputFiles) replaceFile(path, contents);
  removeOldChunks(new Set(outputFiles.map(({ path }) => basename(path))));
}

function replaceFile(path, contents) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents, { mode: path === bundle ? 0o755 : 0o644 });
  renameSync(temporary, path);
}

/** Chunks of recent builds stay: a server that was started from them may load one yet. */
function removeOldChunks(current) {
  const yesterday = Date.now() - 24 * 3_600_000;
  for (const name of readdirSync(output).filter((each) => each.startsWith('chunk-') && !current.has(each))) {
    const path = join(output, name);
    if (statSync(path).mtimeMs < yesterday) rmSync(path);
  }
}

if (process.argv[1] === import.meta.filename) {
  await build().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
