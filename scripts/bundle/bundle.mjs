import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';
import { notices } from './notices.mjs';

const source = join(root, 'packages', 'tsukube', 'src');
export const output = join(root, 'packages', 'tsukube', 'dist');

/** The `tsukube` command, run by `npm start` and the `bin` of package.json. */
export const command = join(output, 'tsukube.cjs');
export const program = join(output, 'program.cjs');
/** The etcd stand-in of `tsukube envtest`. It is separate because the whole program takes longer to load. */
const etcd = join(output, 'etcd.cjs');

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  conditions: ['tsukube-source'],
  write: false,
  logLevel: 'warning',
};

/** Sources import the kit directly; the small entries load the program with its code cache. */
const loadFromProgram = {
  name: 'load-from-program',
  setup(build) {
    build.onResolve({ filter: /^\.\/bundle\/load-kit\.ts$/ }, () => ({ path: join(source, 'bundle', 'load-program.ts') }));
  },
};

/** Error classes exist once, in the entry that users import. */
const sharedEntry = {
  name: 'shared-entry',
  setup(build) {
    build.onResolve({ filter: /^\.\.\/index\.ts$/ }, ({ importer }) =>
      importer.startsWith(join(source, 'kit')) ? { path: './index.cjs', external: true } : undefined,
    );
  },
};

/** Bundles the program into one file, the command, the entries that load it, and the license notices. */
export async function makeBundle() {
  const { build } = await import('esbuild');
  const small = { ...common, plugins: [loadFromProgram] };
  const results = await Promise.all([
    build({ ...small, entryPoints: [join(source, 'bundle', 'bin.ts')], outfile: command }),
    build({ ...small, entryPoints: [join(source, 'index.ts')], outfile: join(output, 'index.cjs') }),
    build(programOptions()),
    build({ ...small, entryPoints: [join(source, 'bundle', 'worker.ts')], outfile: join(output, 'worker.cjs') }),
    build({ ...common, entryPoints: [join(root, 'packages', 'cli', 'src', 'envtest', 'etcd-bin.ts')], outfile: etcd }),
  ]);
  const whole = results[2];
  checkAscii(whole.outputFiles.find(({ path }) => path === program));
  rmSync(join(output, 'cache'), { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  for (const { path, contents } of results.flatMap(({ outputFiles }) => outputFiles)) replaceFile(path, contents);
  replaceFile(join(output, 'index.mjs'), moduleEntry(Object.keys(await exportsOf(join(output, 'index.cjs')))));
  replaceFile(join(output, 'THIRD-PARTY-NOTICES.txt'), notices(whole.metafile));
  copyDescriptions();
}

function programOptions() {
  return {
    ...common,
    entryPoints: [join(source, 'bundle', 'program.ts')],
    outfile: program,
    plugins: [sharedEntry],
    // yaml loses its class names in a bundle; the clients of databases are large and rarely used; the others are not installed.
    external: ['yaml', 'mysql2', 'pg', 'bufferutil', 'utf-8-validate'],
    alias: {
      'node-gyp-build-optional-packages': join(root, 'scripts', 'bundle', 'lmdb-native.mjs'),
      msgpackr: join(root, 'scripts', 'bundle', 'no-msgpackr.mjs'),
    },
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'programUrl' },
    // An expression that evaluates to the program as a function, see load-program.ts.
    banner: { js: '(function (require, programUrl) { const module = { exports: {} };' },
    footer: { js: 'return module.exports;})' },
    charset: 'ascii',
    // The file is read at every start. Names are kept for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: 'none',
    metafile: true,
  };
}

/** The loader reads the program as latin1, so it must be ASCII; the bundler does not escape characters in regular expressions. */
function checkAscii({ text }) {
  const found = /.*[\u0080-\uffff].*/.exec(text);
  if (found) throw new Error(`not ASCII, write it as an escape: ${found[0].trim()}`);
}

async function exportsOf(path) {
  const { createRequire } = await import('node:module');
  return createRequire(path)(path);
}

/** An ES module that re-exports the CommonJS one, so that both share one server and one set of error classes. */
function moduleEntry(names) {
  return `import entry from './index.cjs';\nexport const { ${names.join(', ')} } = entry;\n`;
}

/** Copies the field descriptions for `kubectl explain` next to the program. */
function copyDescriptions() {
  const descriptions = join(root, 'packages', 'api', 'dist', 'descriptions.json');
  if (existsSync(descriptions)) copyFileSync(descriptions, join(output, 'descriptions.json'));
}

export function replaceFile(path, contents) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents, { mode: path === command ? 0o755 : 0o644 });
  renameSync(temporary, path);
}
