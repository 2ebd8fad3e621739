import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {import('./suite.mjs').Context} Context */

/**
 * Copies the sources of a module, tests included, from the Go module cache into a writable folder: some suites write beside
 * their sources. `go mod download` fetches and checks them against the checksum database.
 * @param {Context} context @param {string} module @param {string} version  such as `v0.24.1`, or a query such as `latest`
 * @returns {Promise<import('./suite.mjs').Prepared>}
 */
export async function fetchModule(context, module, version) {
  context.status(`fetching ${module}@${version}`);
  const output = await context.exec('go', ['mod', 'download', '-json', `${module}@${version}`]);
  const { Dir, Version } = JSON.parse(output.slice(output.indexOf('{')));
  const folder = join(context.folder, 'source');
  const stamp = join(context.folder, 'source.version');
  const wanted = `${module}@${Version}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return { folder, version: Version };
  rmSync(folder, { recursive: true, force: true });
  cpSync(Dir, folder, { recursive: true });
  await context.exec('chmod', ['-R', 'u+w', folder]);
  // The module cache keeps no permissions; some tests run scripts.
  await context.exec('find', [folder, '-name', '*.sh', '-exec', 'chmod', '+x', '{}', '+']);
  await dropLocalReplacements(context, folder);
  writeFileSync(stamp, wanted);
  return { folder, version: Version };
}

/** In a repository of several modules, go.mod replaces neighbours by relative paths, which do not exist in the module cache. */
async function dropLocalReplacements(/** @type {Context} */ context, /** @type {string} */ cwd) {
  const { Replace } = JSON.parse(await context.exec('go', ['mod', 'edit', '-json'], { cwd }));
  /** @type {{ Old: { Path: string }, New: { Path: string } }[]} */
  const local = (Replace ?? []).filter((/** @type {{ New: { Path: string } }} */ each) => each.New.Path.startsWith('.'));
  if (local.length === 0) return;
  await context.exec('go', ['mod', 'edit', ...local.map(({ Old }) => `-dropreplace=${Old.Path}`)], { cwd });
}
