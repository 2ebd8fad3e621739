import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './root.mjs';
import { workspaces } from './workspaces.mjs';

/** One exported name, one meaning: no two files of packages and apps declare and export the same name. */
const declaration = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type) ([\w$]+)/gm;

/** Generated names of the Kubernetes API, which has one meaning of a name for each group and version. */
const generated = 'packages/api';
/** Store drivers are alternatives behind one contract: a name may occur once in each. */
const drivers = ['memory', 'lmdb', 'lmdb-shared', 'etcd', 'sql', 'postgres', 'mysql'].map(
  (name) => `packages/storage/src/${name}/`,
);
/** The same function in several files, by name. */
const exceptions = new Map([
  ['loadKit', 'one variant each for the bundle, a child process and the sources; one of them is loaded'],
  ['startServer', 'the published package starts the server of packages/server, with the defaults of a test server'],
]);

/** @returns {string[]} the source files of all packages and apps, without tests */
function sources() {
  return workspaces()
    .filter((workspace) => workspace !== generated)
    .flatMap((workspace) => {
      const src = join(root, workspace, 'src');
      return readdirSync(src, { recursive: true, encoding: 'utf8' }).map((file) => relative(root, join(src, file)));
    })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'));
}

/** @returns {Map<string, Set<string>>} the files that declare each exported name */
function declarations() {
  const places = new Map();
  for (const file of sources()) {
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(declaration)) {
      if (!exceptions.has(name)) places.set(name, (places.get(name) ?? new Set()).add(file));
    }
  }
  return places;
}

/** @param {Set<string>} files @returns {boolean} whether the files are in different drivers */
function areVariants(files) {
  const folders = [...files].map((file) => drivers.find((folder) => file.startsWith(folder)));
  return !folders.includes(undefined) && new Set(folders).size === files.size;
}

const repeated = [...declarations()].filter(([, files]) => files.size > 1 && !areVariants(files));
if (repeated.length > 0) {
  const lines = repeated.map(([name, files]) => `${name}: ${[...files].join(', ')}`);
  process.stderr.write(`Exported names with two meanings:\n${lines.join('\n')}\n`);
  process.exitCode = 1;
}
