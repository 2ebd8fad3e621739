import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExecutable, pathOf } from '../support/commands.ts';

export interface Kubectl {
  /** Such as 1.33. */
  readonly version: string;
  readonly path: string;
}

const cache = fileURLToPath(new URL('../../.cache', import.meta.url));

/** The versions that the expected output was written for. */
const known = ['1.20', '1.27', '1.28', '1.29', '1.30', '1.31', '1.32', '1.33'];
const wanted = ['1.20', '1.27', '1.33'];

const found = new Map(known.flatMap((version): [string, string][] => locate(version)));

/** The oldest supported version, one in between and the newest; if the last two are missing, the one on the PATH. */
export const kubectls: readonly Kubectl[] = chosen();

/** For the protocols of connections, the newest version as well: on the PATH, or in the folder KUBERNETES_COMPONENTS. */
export const connectingKubectls: readonly Kubectl[] = [...kubectls, ...newest()];

/** Titles of the skipped suites of missing versions. */
export const missingKubectls: readonly string[] = wanted
  .filter((version) => kubectls.every((kubectl) => kubectl.version !== version))
  .map((version) => `kubectl ${version}: not found on this machine`);

function chosen(): Kubectl[] {
  const several = wanted.filter((version) => found.has(version));
  const versions = several.some((version) => version !== '1.20') ? several : [...several, ...onPath()];
  return versions.map((version) => ({ version, path: found.get(version) as string }));
}

function newest(): Kubectl[] {
  const folder = process.env.KUBERNETES_COMPONENTS;
  const beside = folder === undefined ? undefined : join(folder, 'kubectl');
  const candidates = [beside, pathOf('kubectl.1.36'), pathOf('kubectl-1.36'), pathOf('kubectl')];
  const path = candidates.find((candidate) => candidate && isExecutable(candidate) && versionOf(candidate) === '1.36');
  return path === undefined ? [] : [{ version: '1.36', path }];
}

function locate(version: string): [string, string][] {
  const unpacked = join(cache, `kubectl-${version}`, 'usr', 'bin', 'kubectl');
  const candidates = [unpacked, besidePlain(`kubectl.${version}`), pathOf(`kubectl.${version}`), pathOf(`kubectl-${version}`)];
  const path = candidates.find((candidate) => candidate !== undefined && isExecutable(candidate));
  return path === undefined ? [] : [[version, path]];
}

/** Some distributions install several versions in one folder and link one of them into the PATH. */
function besidePlain(name: string): string | undefined {
  const plain = pathOf('kubectl');
  return plain && join(dirname(realpathSync(plain)), name);
}

function onPath(): string[] {
  const path = pathOf('kubectl');
  if (path === undefined) return [];
  const version = versionOf(path);
  if (!known.includes(version) || found.has(version)) return [];
  found.set(version, path);
  return [version];
}

function versionOf(path: string): string {
  const { stdout } = spawnSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8', timeout: 10_000 });
  return /"gitVersion": "v(\d+\.\d+)\./.exec(stdout ?? '')?.[1] ?? '';
}
