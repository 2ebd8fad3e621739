import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { workspaces } from './workspaces.mjs';

const rootFiles = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.base.json',
  'scripts/build.mjs',
  'scripts/bundle/bundle.mjs',
  'scripts/bundle/code-cache.mjs',
  'scripts/bundle/notices.mjs',
  'scripts/bundle/types.mjs',
  'scripts/bundle/lmdb-native.mjs',
  'scripts/bundle/no-msgpackr.mjs',
];

/** A hash over names, sizes and modification times of all inputs of the build. */
export function fingerprint() {
  const hash = createHash('sha1').update(process.version);
  for (const path of inputs()) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest('hex');
}

function* inputs() {
  for (const file of rootFiles) yield join(root, file);
  for (const workspace of workspaces().sort()) {
    const directory = join(root, workspace);
    yield join(directory, 'package.json');
    yield join(directory, 'tsconfig.json');
    yield* sources(join(directory, 'src'));
  }
}

function* sources(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (!entry.name.endsWith('.test.ts')) yield path;
  }
}
