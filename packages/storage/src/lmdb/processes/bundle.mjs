import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SOURCE = fileURLToPath(new URL('../index.ts', import.meta.url));
/** Inside node_modules, so that the bundle can resolve lmdb. */
const BUNDLE = fileURLToPath(new URL('../../../../../node_modules/.cache/tsukube/lmdb.mjs', import.meta.url));

/**
 * Compiles the store for processes that a test starts; gives the path of the module.
 * @returns {Promise<string>}
 */
export async function bundleStore() {
  const { outputFiles } = await build({
    entryPoints: [SOURCE],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['lmdb'],
    write: false,
  });
  return replaceFile(BUNDLE, outputFiles[0].contents);
}

/** Atomic: concurrent test files share the bundle. */
async function replaceFile(path, contents) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}`, contents);
  await rename(`${path}.${process.pid}`, path);
  return path;
}

/** @param {string} name */
export function scriptPath(name) {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
