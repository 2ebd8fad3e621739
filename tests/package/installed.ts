import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const minutes = 60_000;

/** `npm test` builds before it tests, an editor may not. */
export const notBuilt = !existsSync(join(root, 'packages', 'tsukube', 'dist', 'index.cjs'));

/** Whether packages can be installed. Suites that need it say so in their titles. */
export const registryReachable = !notBuilt && npm(['ping', '--fetch-timeout=5000', '--fetch-retries=0'], tmpdir()).status === 0;

export interface PackedFile {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
}

export interface Tarball {
  readonly path: string;
  readonly size: number;
  readonly files: readonly PackedFile[];
}

/** Packs a package of the workspace, by default the published one. */
export function pack(destination: string, name = 'tsukube', parent = 'packages'): Tarball {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
  const { stdout } = succeed(npm(args, join(root, parent, name)));
  const [{ filename, size, files }] = JSON.parse(stdout);
  return { path: join(destination, filename), size, files };
}

/** Creates a folder outside of the workspace and installs these packages in it. */
export function installFolder(packages: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-package-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  succeed(npm(['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], folder));
  return folder;
}

export function removeFolder(folder: string | undefined): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** This Node and, if the registry has it for this platform, Node 22. */
export function nodes(): readonly (readonly [string, string])[] {
  const other = node22();
  return [[process.version, process.execPath], ...(other === undefined ? [] : [['v22', other] as const])];
}

/** The platform packages of `node` on npm contain only the binary. */
function node22(): string | undefined {
  const folder = join(root, '.cache', 'node-22');
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(program) || !registryReachable) return existsSync(program) ? program : undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@22`], folder);
  return existsSync(program) ? program : undefined;
}

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without the environment variables that npm and the test runner set for their children. */
export function run(program: string, args: readonly string[], cwd: string): Run {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_OPTIONS|NODE_ENV$)/i.test(name)),
  );
  return spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: 2 * minutes });
}

function npm(args: readonly string[], cwd: string): Run {
  return run('npm', args, cwd);
}

function succeed(result: Run): Run {
  if (result.status !== 0) throw new Error(`npm failed: ${result.stderr}${result.stdout}`);
  return result;
}
