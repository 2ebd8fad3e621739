import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './root.mjs';

const cache = join(root, '.cache');
const minutes = 60_000;

/** Programs needed by some suites. Debian packages are unpacked into .cache: nothing is installed, no daemon is started. */
const tools = [
  { name: 'etcd', debian: 'etcd-server', folder: 'etcd', program: 'etcd', anyVersion: true },
  { name: 'kubectl 1.20', debian: 'kubernetes-client', folder: 'kubectl-1.20', program: 'kubectl', anyVersion: false },
];

/** Databases have libraries of their own. tests/support/databases.ts looks for them in the same places. */
const databases = [
  { name: 'PostgreSQL', debian: ['postgresql'], folder: 'postgres', program: /^usr\/lib\/postgresql\/\d+\/bin\/postgres$/ },
  { name: 'MariaDB', debian: ['mariadb-server-core', 'mariadb-client'], folder: 'mariadb', program: /^usr\/sbin\/mariadbd$/ },
];

/** The PATH on which etcd is found, if it could be fetched. */
export function pathWithEtcd() {
  const etcd = tools.find(({ name }) => name === 'etcd');
  if (!isThere(etcd)) obtain(etcd);
  return [process.env.PATH, binFolder(etcd)].join(delimiter);
}

/** Fetches the tools if possible. Returns the environment for the tests and the names of missing tools. */
export function prepareTools() {
  const missing = [
    ...tools.filter((tool) => !isThere(tool) && !obtain(tool)),
    ...databases.filter((database) => !isInstalled(database) && !obtainWithLibraries(database)),
  ].map(({ name }) => name);
  const folders = tools.filter((tool) => tool.anyVersion && existsSync(unpacked(tool))).map(binFolder);
  return { missing, env: { ...process.env, PATH: [process.env.PATH, ...folders].join(delimiter) } };
}

function isThere(tool) {
  return existsSync(unpacked(tool)) || (tool.anyVersion && isOnPath(tool.program));
}

function binFolder(tool) {
  return join(cache, tool.folder, 'usr', 'bin');
}

function unpacked(tool) {
  return join(binFolder(tool), tool.program);
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function obtain(tool) {
  if (!isOnPath('apt-get') || !isOnPath('dpkg')) return false;
  process.stderr.write(`Fetching ${tool.name} for the tests …\n`);
  const folder = join(cache, tool.folder);
  mkdirSync(folder, { recursive: true });
  // The package lists of a fresh container are empty, and only root may fetch them.
  const archive =
    download(tool, folder) ??
    (process.getuid?.() === 0 && succeeds('apt-get', ['update', '-qq'], folder) ? download(tool, folder) : undefined);
  if (archive !== undefined && succeeds('dpkg', ['-x', archive, '.'], folder)) rmSync(join(folder, archive));
  return existsSync(unpacked(tool));
}

function isInstalled({ folder, program }) {
  return ['/', join(cache, folder)].some((prefix) => programsBelow(prefix).some((path) => program.test(path)));
}

/** The places where Debian puts the servers, relative to a prefix. */
function programsBelow(prefix) {
  const versions = namesIn(join(prefix, 'usr/lib/postgresql')).map((version) => `usr/lib/postgresql/${version}/bin/postgres`);
  return [...versions, 'usr/sbin/mariadbd'].filter((path) => existsSync(join(prefix, path)));
}

/** Unpacks a server and the libraries that this system lacks. Just-in-time compilation (LLVM) and scripts in Perl are not needed. */
function obtainWithLibraries(database) {
  if (!isOnPath('apt-get') || !isOnPath('dpkg')) return false;
  process.stderr.write(`Fetching ${database.name} for the tests …\n`);
  const folder = join(cache, database.folder);
  mkdirSync(folder, { recursive: true });
  if (process.getuid?.() === 0 && lacking(database).length === 0) succeeds('apt-get', ['update', '-qq'], folder);
  const packages = lacking(database).filter((name) => /^(lib|postgresql|mariadb)/.test(name) && !/llvm|perl|z3/.test(name));
  succeeds('apt-get', ['download', '-qq', ...packages], folder);
  for (const name of namesIn(folder).filter((each) => each.endsWith('.deb'))) {
    if (succeeds('dpkg', ['-x', name, '.'], folder)) rmSync(join(folder, name));
  }
  return isInstalled(database);
}

/** The packages that an installation would add. Needs no root, unlike the installation. */
function lacking({ debian }) {
  const args = ['-s', '-qq', '--no-install-recommends', 'install', ...debian];
  const { stdout } = spawnSync('apt-get', args, { encoding: 'utf8', timeout: 2 * minutes });
  return [...(stdout ?? '').matchAll(/^Inst (\S+) /gm)].map(([, name]) => name);
}

function namesIn(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function download(tool, folder) {
  succeeds('apt-get', ['download', '-qq', tool.debian], folder);
  return readdirSync(folder).find((name) => name.endsWith('.deb'));
}

function succeeds(command, args, cwd) {
  return spawnSync(command, args, { cwd, stdio: 'ignore', timeout: 2 * minutes, killSignal: 'SIGKILL' }).status === 0;
}
