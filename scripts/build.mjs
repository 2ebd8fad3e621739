import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, makeBundle, output, program } from './bundle/bundle.mjs';
import { makeTypes } from './bundle/types.mjs';
import { fingerprint } from './fingerprint.mjs';
import { install } from './install.mjs';
import { root } from './root.mjs';
import { workspaces } from './workspaces.mjs';

const stamp = join(output, 'build.stamp');

/** The command `npm start` runs. */
export { command };

/** Installs, type-checks, compiles and bundles what is out of date. */
export async function build() {
  install();
  const print = fingerprint();
  if (existsSync(command) && existsSync(stamp) && readFileSync(stamp, 'utf8') === print) return;
  compile();
  describeTypes();
  await makeBundle();
  await makeTypes();
  makeCodeCache();
  removeOldOutput();
  writeFileSync(stamp, print);
}

function compile() {
  if (!runs('node_modules/typescript/bin/tsc', '-b')) throw new Error('the TypeScript compiler found errors');
}

/** Descriptions change only with the dependencies. */
function describeTypes() {
  const descriptions = join(root, 'packages', 'api', 'dist', 'descriptions.json');
  if (existsSync(descriptions) && statSync(descriptions).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return;
  if (!runs('scripts/build-descriptions.mjs')) throw new Error('could not generate the descriptions of the built-in types');
}

function runs(script, ...args) {
  return spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0;
}

/** Optional: without the code cache the server starts more slowly. */
function makeCodeCache() {
  if (!runs('scripts/bundle/code-cache.mjs', program)) process.stderr.write('could not create the code cache\n');
}

/** tsc keeps the output of sources that were moved or deleted; the tarballs of the packages must not contain it. */
function removeOldOutput() {
  for (const workspace of workspaces()) {
    const folder = join(root, workspace);
    const compiled = join(folder, existsSync(join(folder, 'lib')) ? 'lib' : 'dist');
    if (existsSync(compiled)) removeOrphans(compiled, join(folder, 'src'));
  }
}

function removeOrphans(compiled, sources) {
  for (const entry of readdirSync(compiled, { withFileTypes: true })) {
    const path = join(compiled, entry.name);
    if (entry.isDirectory() && !existsSync(join(sources, entry.name))) rmSync(path, { recursive: true });
    else if (entry.isDirectory()) removeOrphans(path, join(sources, entry.name));
    else if (isOrphan(entry.name, sources)) rmSync(path);
  }
}

function isOrphan(name, sources) {
  const [, module] = /^(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(name) ?? [];
  return module !== undefined && !existsSync(join(sources, `${module}.ts`));
}

if (process.argv[1] === import.meta.filename) {
  await build().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
