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
const program = join(output, 'program.cjs');

/** Installs, type-checks, compiles and bundles whatever is not up to date. */
export async function build() {
  install();
  const print = fingerprint();
  if (existsSync(bundle) && existsSync(stamp) && readFileSync(stamp, 'utf8') === print) return;
  compile();
  describeTypes();
  await makeBundle();
  makeCodeCache();
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

/** One file for the whole program, and the small one that runs it. */
async function makeBundle() {
  const { build: bundleWith } = await import('esbuild');
  const common = { absWorkingDir: root, bundle: true, platform: 'node', target: 'node20', conditions: ['source'], write: false };
  const launcher = bundleWith({ ...common, entryPoints: ['packages/cli/src/launch.ts'], format: 'cjs', outfile: bundle });
  const whole = bundleWith({
    ...common,
    entryPoints: ['packages/cli/src/bin.ts'],
    outfile: program,
    format: 'cjs',
    // yaml loses its names inside a bundle, the others are not installed.
    external: ['yaml', 'bufferutil', 'utf-8-validate'],
    alias: {
      'node-gyp-build-optional-packages': join(root, 'scripts', 'bundle', 'lmdb-native.mjs'),
      msgpackr: join(root, 'scripts', 'bundle', 'no-msgpackr.mjs'),
    },
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'programUrl' },
    // An expression that gives the program as a function, see launch.ts.
    banner: { js: '(function (require, programUrl) { const module = { exports: {} };' },
    footer: { js: '})' },
    charset: 'ascii',
    // It is read at every start; names stay, for what is said of errors.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: 'external',
    logLevel: 'warning',
  });
  checkAscii((await whole).outputFiles.find(({ path }) => path === program));
  mkdirSync(output, { recursive: true });
  for (const { outputFiles } of await Promise.all([whole, launcher]))
    for (const { path, contents } of outputFiles) replaceFile(path, contents);
  replaceFile(join(output, 'package.json'), '{ "type": "commonjs" }\n');
  removeOldFiles();
}

/** The launcher reads the program without decoding it; in regular expressions the bundler leaves letters as they are. */
function checkAscii({ text }) {
  const found = /.*[\u0080-\uffff].*/.exec(text);
  if (found) throw new Error(`not ASCII, write it as an escape: ${found[0].trim()}`);
}

/** Without it everything works, and starts more slowly. */
function makeCodeCache() {
  if (!runs('scripts/code-cache.mjs', program)) process.stderr.write('the code of the program could not be compiled ahead\n');
}

function replaceFile(path, contents) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents, { mode: path === bundle ? 0o755 : 0o644 });
  renameSync(temporary, path);
}

/** Builds of former versions left the program in pieces, and modules. */
function removeOldFiles() {
  const ours = [basename(bundle), basename(program), basename(stamp), 'package.json'];
  for (const name of readdirSync(output))
    if (!ours.some((each) => name.startsWith(each))) rmSync(join(output, name), { recursive: true });
}

if (process.argv[1] === import.meta.filename) {
  await build().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
