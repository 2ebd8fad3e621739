import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

/** Programs that the launchers start. */
export interface Programs {
  readonly node: string;
  /** The `tsukube` command. */
  readonly tsukube: string;
  /** The stand-in for etcd. */
  readonly standIn: string;
}

export interface Assets {
  readonly programs: Programs;
  /** An etcd to use instead of the stand-in. */
  readonly etcd?: string | undefined;
  readonly kubectl?: string | undefined;
  readonly help: string;
}

/** Second line of every launcher, which marks it as written by tsukube envtest. */
const mark = '# Written by tsukube envtest.';

const maxTextBytes = 2 ** 20;

const etcdHelp = `The stand-in for etcd of tsukube envtest.

  --data-dir 'default.etcd'
        Path to the data directory.
  --listen-client-urls 'http://localhost:2379'
        URLs to listen on for health checks, http only.
  --unsafe-no-fsync 'false'
        Accepted; nothing is ever synced.

Other flags of etcd are accepted and have no effect.
`;

/**
 * Creates the KUBEBUILDER_ASSETS folder. Idempotent: up-to-date files are kept. Throws if a file of another origin is in the way.
 */
export function layOut(folder: string, { programs, etcd, kubectl, help }: Assets): void {
  mkdirSync(folder, { recursive: true });
  checkOwned(folder);
  const { node, tsukube, standIn } = programs;
  put(join(folder, 'kube-apiserver'), launcher(folder, 'kube-apiserver', [node, tsukube, 'kube-apiserver']));
  put(join(folder, 'kube-apiserver.help'), help, 0o644);
  if (etcd === undefined) {
    put(join(folder, 'etcd'), launcher(folder, 'etcd', [node, standIn]));
    put(join(folder, 'etcd.help'), etcdHelp, 0o644);
  } else link(join(folder, 'etcd'), etcd);
  if (kubectl !== undefined) link(join(folder, 'kubectl'), kubectl);
}

/**
 * A shell script, because envtest first runs every program with --help, which the shell answers in two milliseconds. `exec` keeps
 * the PID, so signals reach the server.
 */
function launcher(folder: string, name: string, command: readonly [string, string, ...string[]]): string {
  const [, program] = command;
  return `#!/bin/sh
${mark}
if [ "$#" = 1 ] && [ "$1" = --help ]; then exec cat ${quoted(join(folder, `${name}.help`))}; fi
if [ ! -f ${quoted(program)} ]; then echo ${quoted(`${name}: ${program} is gone, run tsukube envtest again`)} >&2; exit 1; fi
exec ${command.map(quoted).join(' ')} "$@"
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function put(path: string, content: string, mode = 0o755): void {
  if (textOf(path) !== content) replace(path, (temporary) => writeFileSync(temporary, content, { mode }));
}

function link(path: string, target: string): void {
  replace(path, (temporary) => symlinkSync(target, temporary));
}

/** Leaves folders with other binaries alone. */
function checkOwned(folder: string): void {
  if (textOf(join(folder, 'kube-apiserver'))?.includes(mark)) return;
  const foreign = ['kube-apiserver', 'etcd', 'kubectl'].find((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }));
  if (foreign === undefined) return;
  throw new Error(
    `${join(folder, foreign)} was not written by tsukube envtest and is not replaced; choose another folder with --dir`,
  );
}

/** Undefined if there is no regular file, or it is too large for a launcher. */
function textOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() && found.size < maxTextBytes ? readFileSync(path, 'utf8') : undefined;
}

function replace(path: string, write: (temporary: string) => void): void {
  const temporary = `${path}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  write(temporary);
  renameSync(temporary, path);
}

/** Separate for each version and installation, so that they do not overwrite each other. */
export function defaultFolder(
  version: string,
  { programs, etcd }: Pick<Assets, 'programs' | 'etcd'>,
  env: NodeJS.ProcessEnv,
): string {
  const installation = createHash('sha256')
    .update(JSON.stringify([programs, etcd]))
    .digest('hex');
  return join(cacheFolder(env), 'tsukube', 'envtest', `${version}-${installation.slice(0, 8)}`);
}

function cacheFolder(env: NodeJS.ProcessEnv): string {
  if (env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME;
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
}

/** The first executable on the PATH that is not a launcher. */
export function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => resolve(folder, name)).find((path) => isExecutable(path) && !textOf(path)?.includes(mark));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
