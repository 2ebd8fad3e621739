import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './root.mjs';

/**
 * One exported name, one meaning: no package declares and exports a name in two of its files. The drivers of a store are alternatives
 * behind one contract: each of their folders has names of its own.
 */
const declaration = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type) ([\w$]+)/gm;

/** Generated names of the Kubernetes API, which has one meaning of a name for each group and version. */
const exempt = new Set(['api']);
/** The same function for the bundle, for a process and for the sources; one of them is loaded. */
const variants = new Set(['loadKit']);

/** @param {string} folder @returns {string[]} */
function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))
    .map((file) => join(folder, file));
}

/** @param {string} name of a package @returns {string[]} the folders in which a name must be unique */
function scopesOf(name) {
  const sources = join(root, 'packages', name, 'src');
  if (name !== 'storage') return [sources];
  return readdirSync(sources, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [join(sources, entry.name)] : [],
  );
}

/** @param {string} folder @returns {string[]} a line for each name with two declarations */
function repeatedIn(folder) {
  /** @type {Map<string, Set<string>>} */
  const places = new Map();
  for (const file of sourcesIn(folder)) {
    for (const [, exported = ''] of readFileSync(file, 'utf8').matchAll(declaration)) {
      if (!variants.has(exported)) places.set(exported, (places.get(exported) ?? new Set()).add(relative(root, file)));
    }
  }
  return [...places].filter(([, files]) => files.size > 1).map(([exported, files]) => `${exported}: ${[...files].join(', ')}`);
}

const packages = readdirSync(join(root, 'packages')).filter((name) => !exempt.has(name));
const repeated = packages.flatMap(scopesOf).flatMap(repeatedIn);
if (repeated.length > 0) {
  process.stderr.write(`Exported names with two meanings:\n${repeated.join('\n')}\n`);
  process.exitCode = 1;
}
