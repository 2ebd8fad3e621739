import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Inside node_modules, so that the bundles can resolve lmdb. */
const BUNDLES = new URL('../../../../../node_modules/.cache/tsukube/', import.meta.url);

/**
 * Compiles the store for processes that a test starts; gives the path of the module.
 * @param {'lmdb' | 'lmdb-shared'} folder
 * @returns {Promise<string>}
 */
export async function bundleStore(folder = 'lmdb') {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../${folder}/index.ts`, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['lmdb'],
    write: false,
  });
  return replaceFile(fileURLToPath(new URL(`${folder}.mjs`, BUNDLES)), outputFiles[0].contents);
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
