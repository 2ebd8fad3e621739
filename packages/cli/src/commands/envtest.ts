import { arch, platform } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { kubernetesVersion } from '@tsukube/server';
import { serveHelp } from '@tsukube/server/config';
import { type Assets, defaultFolder, findOnPath, layOut } from '../envtest/assets.ts';
import { packageVersion } from '../process.ts';

const help = `Lays out a folder with kube-apiserver, etcd and, where it is on the PATH, kubectl, for the tests of operators that use
controller-runtime's envtest, and prints its path. The arguments of setup-envtest are understood.

Usage: tsukube envtest [use [VERSION]] [flags]

  -p, --print env|path|overview   what to print: a line for the shell, the path alone, or a summary (env)
      --dir DIR                   the folder itself (one below the user's cache folder)
      --bin-dir DIR               below it, as setup-envtest: DIR/k8s/VERSION-OS-ARCH
      --etcd own|real|PATH        own: a stand-in that starts at once, objects are kept in an embedded database;
                                  real: the etcd on the PATH (own)
  -h, --help

Example: eval "$(tsukube envtest)" && go test ./...
`;

const flags = {
  print: { type: 'string', short: 'p', default: 'env' },
  dir: { type: 'string' },
  'bin-dir': { type: 'string' },
  etcd: { type: 'string', default: 'own' },
  help: { type: 'boolean', short: 'h', default: false },
  // Flags of setup-envtest without effect here.
  'installed-only': { type: 'boolean', short: 'i' },
  'use-env': { type: 'boolean' },
  force: { type: 'boolean' },
  arch: { type: 'string' },
  os: { type: 'string' },
  index: { type: 'string' },
  verbose: { type: 'string', short: 'v' },
} as const;

/** Creates the envtest binaries and prints their folder. */
export function envtest(argv: readonly string[]): number {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: flags, allowPositionals: true });
    process.stdout.write(values.help ? help : run(values, positionals));
    return 0;
  } catch (error) {
    process.stderr.write(`tsukube: ${error instanceof Error ? error.message : String(error)}\n`);
    return isUsage(error) ? 2 : 1;
  }
}

class Misuse extends Error {}

function isUsage(error: unknown): boolean {
  return error instanceof Misuse || String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
}

interface Values {
  readonly print: string;
  readonly dir?: string | undefined;
  readonly 'bin-dir'?: string | undefined;
  readonly etcd: string;
}

function run(values: Values, [verb = 'use', version, ...rest]: readonly string[]): string {
  if (verb !== 'use' || rest.length > 0)
    throw new Misuse(`tsukube envtest has no command ${[verb, ...rest].join(' ')}, see --help`);
  const print = printers[values.print];
  if (print === undefined)
    throw new Misuse(`--print: ${JSON.stringify(values.print)} is not one of ${Object.keys(printers).join(', ')}`);
  warnOfOtherVersion(version);
  const assets: Assets = {
    programs: programs(),
    etcd: chosenEtcd(values.etcd),
    kubectl: findOnPath('kubectl', process.env),
    help: serveHelp(),
  };
  const folder = folderFor(values, assets);
  layOut(folder, assets);
  return print(folder, assets);
}

/** Next to this bundle. */
function programs(): Assets['programs'] {
  const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  return { node: process.execPath, tsukube: beside('tsukube.cjs'), standIn: beside('etcd.cjs') };
}

function chosenEtcd(choice: string): string | undefined {
  if (choice === 'own') return undefined;
  if (choice !== 'real') return resolve(choice);
  const found = findOnPath('etcd', process.env);
  if (found === undefined) throw new Error('--etcd real: there is no etcd on the PATH');
  return found;
}

function folderFor(values: Values, assets: Assets): string {
  if (values.dir !== undefined) return resolve(values.dir);
  const binDir = values['bin-dir'];
  if (binDir === undefined) return defaultFolder(packageVersion(), assets, process.env);
  return resolve(binDir, 'k8s', `${kubernetesVersion.replace(/^v/, '')}-${platform()}-${goArch()}`);
}

function goArch(): string {
  return arch() === 'x64' ? 'amd64' : arch();
}

type Printer = (folder: string, assets: Assets) => string;

const printers: Readonly<Record<string, Printer>> = {
  env: (folder) => `export KUBEBUILDER_ASSETS='${folder.replaceAll("'", `'\\''`)}'\n`,
  path: (folder) => `${folder}\n`,
  overview: (folder, { etcd, kubectl }) =>
    `Version: ${kubernetesVersion}\nOS/Arch: ${platform()}/${goArch()}\netcd: ${etcd ?? 'stand-in'}\nkubectl: ${kubectl ?? 'not found'}\nPath: ${folder}\n`,
};

/** Warns that the served version differs from the one the project pins. */
function warnOfOtherVersion(version: string | undefined): void {
  const [, major, minor] = /^[~v]*(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (minor === undefined || kubernetesVersion.startsWith(`v${major}.${minor}.`)) return;
  process.stderr.write(`tsukube: ${version} was requested; this server is Kubernetes ${kubernetesVersion}\n`);
}
