import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A database server on the loopback interface, with one empty database. */
export interface RunningDatabase {
  /** For `--storage-dsn`, with user and password. */
  readonly dsn: string;
  readonly port: number;
  /** The folder of its data and of its log, `server.log`. */
  readonly folder: string;
  /** Starts it again, on the same port and data, and waits until it accepts connections. */
  start(args?: readonly string[]): Promise<void>;
  /** Ends all its processes with SIGKILL. */
  kill(): Promise<void>;
  /** Sends a signal to all its processes, such as SIGSTOP. */
  signal(name: NodeJS.Signals): void;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

export interface DatabaseOptions {
  /** Further flags, such as `-c max_connections=20` or `--max-allowed-packet=64M`. */
  readonly args?: readonly string[];
  /** PEM files of the server. If `ca` is set, clients need a certificate of this CA. */
  readonly tls?: { readonly ca?: string; readonly cert: string; readonly key: string };
}

export const databaseUser = 'tsukube';
export const databasePassword = 'p@ss/word';

/** The name of a storage backend, as in `--storage`. */
export type DatabaseKind = 'postgres' | 'mysql';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
const roots = [join(cache, 'postgres'), join(cache, 'mariadb'), '/'];

interface Program {
  readonly path: string;
  /** Where Debian's package was unpacked. */
  readonly root: string;
}

function find(paths: (root: string) => readonly string[]): Program | undefined {
  for (const root of roots)
    for (const path of paths(root)) if (existsSync(join(root, path))) return { path: join(root, path), root };
  return undefined;
}

const postgres = find((root) => {
  const versions = join(root, 'usr/lib/postgresql');
  return existsSync(versions) ? readdirSync(versions).map((version) => `usr/lib/postgresql/${version}/bin/postgres`) : [];
});
const mariadb = find(() => ['usr/sbin/mariadbd']);

/** The reason to skip suites that need a database server; undefined if it is there. For `describe.skipIf(…)`. */
export const databaseMissing: Readonly<Record<DatabaseKind, string | undefined>> = {
  postgres: postgres ? undefined : 'PostgreSQL is not installed',
  mysql: mariadb ? undefined : 'MariaDB is not installed',
};

for (const reason of Object.values(databaseMissing)) if (reason) console.warn(`${reason}: suites that need it are skipped`);

/** Starts a PostgreSQL or MariaDB server in a folder of its own and waits until it accepts connections. */
export async function startDatabase(kind: DatabaseKind, options: DatabaseOptions = {}): Promise<RunningDatabase> {
  const program = kind === 'postgres' ? postgres : mariadb;
  if (!program) throw new Error(databaseMissing[kind]);
  const folder = await mkdtemp(join(tmpdir(), `tsukube-${kind}-`));
  const place = { program, folder, port: await freePort(), options };
  const server = new DatabaseProcess(place, kind === 'postgres' ? preparePostgres(place) : prepareMariadb(place));
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

interface Place {
  readonly program: Program;
  readonly folder: string;
  readonly port: number;
  readonly options: DatabaseOptions;
}

/** How to run a server whose data is prepared. */
interface Prepared {
  readonly scheme: string;
  readonly args: readonly string[];
  readonly owner: Owner | undefined;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const START_TIMEOUT_MS = 30_000;

class DatabaseProcess implements RunningDatabase {
  readonly dsn: string;
  readonly port: number;
  readonly folder: string;
  readonly #place: Place;
  readonly #prepared: Prepared;
  #child: ChildProcess | undefined;

  constructor(place: Place, prepared: Prepared) {
    this.#place = place;
    this.#prepared = prepared;
    this.port = place.port;
    this.folder = place.folder;
    const password = encodeURIComponent(databasePassword);
    this.dsn = `${prepared.scheme}://${databaseUser}:${password}@127.0.0.1:${place.port}/tsukube`;
  }

  async start(args: readonly string[] = []): Promise<void> {
    const { program, options } = this.#place;
    const all = [...this.#prepared.args, ...(options.args ?? []), ...args];
    const log = join(this.folder, 'server.log');
    // PostgreSQL reports a restart after a kill as an error until its old processes are gone.
    for (const deadline = Date.now() + START_TIMEOUT_MS; ; await pause(100)) {
      this.#child = run(program, all, this.#prepared.owner, log);
      if (await this.#accepts(deadline)) return;
      if (Date.now() > deadline) throw new Error(`${program.path} did not start: ${await lastLines(log)}`);
    }
  }

  /** False if the process ends. */
  async #accepts(deadline: number): Promise<boolean> {
    while (this.#child?.exitCode === null && this.#child.signalCode === null && Date.now() < deadline) {
      if (await answers(this.#prepared.scheme, this.port)) return true;
      await pause(20);
    }
    return false;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    killGroup(child, 'SIGKILL');
    await once(child, 'exit');
  }

  signal(name: NodeJS.Signals): void {
    const child = this.#child;
    if (!child?.pid) throw new Error('the database is not running');
    // Processes of PostgreSQL are their own group leaders.
    for (const pid of [child.pid, ...childrenOf(child.pid)]) process.kill(pid, name);
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function run({ path, root }: Program, args: readonly string[], owner: Owner | undefined, log: string): ChildProcess {
  const output = openSync(log, 'a');
  const child = spawn(path, args, { stdio: ['ignore', output, output], env: environment(root), ...owner });
  closeSync(output);
  const killWithParent = () => killGroup(child, 'SIGKILL');
  process.once('exit', killWithParent);
  child.once('exit', () => process.off('exit', killWithParent));
  return child;
}

/** Kills a server with its children: those of PostgreSQL would go on for a moment and hold its port and memory. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const pids = child.pid === undefined ? [] : childrenOf(child.pid);
  child.kill(signal);
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended with its parent.
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Unpacked packages bring libraries that the system lacks. */
function environment(root: string): NodeJS.ProcessEnv {
  if (root === '/') return { ...process.env, LC_ALL: 'C' };
  const folders = ['usr/lib', 'lib'].flatMap((folder) => [
    folder,
    ...multiarch(join(root, folder)).map((each) => join(folder, each)),
  ]);
  return { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: folders.map((folder) => join(root, folder)).join(':') };
}

function multiarch(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('-linux-gnu')) : [];
}

/** PostgreSQL refuses to run as root. */
function preparePostgres({ program, folder, port, options }: Place): Prepared {
  const owner = process.getuid?.() === 0 ? nobody() : undefined;
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, databasePassword);
  if (owner) for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
  mustRun(program, join(program.path, '..', 'initdb'), owner, [
    ...['--pgdata', data, '--username', databaseUser, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    ...['--encoding', 'UTF8', '--no-locale', '--no-sync'],
  ]);
  const single = ['--single', '-D', data, 'postgres'];
  mustRun(program, program.path, owner, single, 'CREATE DATABASE tsukube;\n');
  const tls = options.tls ? postgresTls(folder, options.tls, owner) : [];
  return {
    scheme: 'postgres',
    owner,
    args: [
      ...['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder],
      // The page cache survives a kill of the server, so the tests lose nothing.
      ...settings({ fsync: 'off', logging_collector: 'off', log_min_messages: 'warning', max_connections: '60' }),
      ...tls,
    ],
  };
}

/** The key must belong to the user of the server, or to root. Clients connect with TLS only. */
function postgresTls(folder: string, tls: NonNullable<DatabaseOptions['tls']>, owner: Owner | undefined): string[] {
  const copy = (name: string, source: string) => {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(source), { mode: 0o600 });
    if (owner) chownSync(path, owner.uid, owner.gid);
    return path;
  };
  const files = { ssl: 'on', ssl_cert_file: copy('server.crt', tls.cert), ssl_key_file: copy('server.key', tls.key) };
  const rules = copy('pg_hba.conf', writeRules(folder, tls.ca !== undefined));
  return settings({ ...files, hba_file: rules, ...(tls.ca && { ssl_ca_file: copy('ca.crt', tls.ca) }) });
}

function writeRules(folder: string, clientCertificates: boolean): string {
  const path = join(folder, 'rules');
  writeFileSync(path, `hostssl all all all scram-sha-256 ${clientCertificates ? 'clientcert=verify-ca' : ''}\n`);
  return path;
}

function settings(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function prepareMariadb({ program, folder, port, options }: Place): Prepared {
  const share = join(program.root, 'usr/share/mysql');
  const data = join(folder, 'data');
  const common = [
    ...['--no-defaults', `--datadir=${data}`, `--lc-messages-dir=${share}`, `--character-sets-dir=${join(share, 'charsets')}`],
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ];
  spawnSync('mkdir', ['-p', data]);
  const tables = ['mysql_system_tables.sql', 'mysql_performance_tables.sql', 'mysql_system_tables_data.sql'].map((name) =>
    readFileSync([name, name.replace('mysql', 'mariadb')].map((each) => join(share, each)).find(existsSync) as string, 'utf8'),
  );
  const script = ['CREATE DATABASE mysql;', 'USE mysql;', 'SET @auth_root_socket = NULL;', ...tables].join('\n');
  mustRun(program, program.path, undefined, [...common, '--bootstrap', '--skip-log-bin'], withoutHostName(script));
  const init = join(folder, 'init.sql');
  writeFileSync(init, mariadbUser);
  const tls = options.tls
    ? [`--ssl-cert=${options.tls.cert}`, `--ssl-key=${options.tls.key}`, '--require-secure-transport=ON']
    : [];
  return {
    scheme: 'mysql',
    owner: undefined,
    args: [
      ...common,
      ...[`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 's')}`, `--pid-file=${join(folder, 'pid')}`],
      ...[`--init-file=${init}`, '--skip-name-resolve', '--innodb-flush-method=nosync', '--innodb-buffer-pool-size=128M'],
      ...tls,
      ...(options.tls?.ca ? [`--ssl-ca=${options.tls.ca}`] : []),
    ],
  };
}

function withoutHostName(script: string): string {
  return script
    .split('\n')
    .filter((line) => !line.includes('@current_hostname'))
    .join('\n');
}

const mariadbUser = [
  'CREATE DATABASE IF NOT EXISTS tsukube;',
  `CREATE USER IF NOT EXISTS '${databaseUser}'@'127.0.0.1' IDENTIFIED BY '${databasePassword}';`,
  `GRANT ALL ON *.* TO '${databaseUser}'@'127.0.0.1' WITH GRANT OPTION;`,
].join('\n');

/** The user nobody, as whom a program can run that refuses root. */
function nobody(): Owner {
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'));
  const [, , uid, gid] = entry?.split(':') ?? [];
  return { uid: Number(uid ?? 65534), gid: Number(gid ?? 65534) };
}

function mustRun({ root }: Program, path: string, owner: Owner | undefined, args: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync(path, args, {
    env: environment(root),
    cwd: tmpdir(),
    input,
    encoding: 'utf8',
    ...owner,
  });
  if (status !== 0) throw new Error(`${path} failed: ${stderr || stdout}`);
}

/** Whether the server accepts sessions, not only connections. */
async function answers(scheme: string, port: number): Promise<boolean> {
  return scheme === 'postgres' ? postgresAnswers(port) : mariadbAnswers(port);
}

async function postgresAnswers(port: number): Promise<boolean> {
  const first = await firstBytes(port, startupMessage());
  // R: asks for a password. An error, E, is the answer while the server starts, and if it demands TLS.
  return first !== undefined && (first[0] === 0x52 || (first[0] === 0x45 && !first.includes('57P03')));
}

async function mariadbAnswers(port: number): Promise<boolean> {
  const first = await firstBytes(port, undefined);
  return first !== undefined && first.length > 4;
}

/** A startup packet of protocol 3.0 for user and database. */
function startupMessage(): Buffer {
  const parameters = Buffer.from(`user\0${databaseUser}\0database\0tsukube\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, parameters]);
}

async function firstBytes(port: number, hello: Buffer | undefined): Promise<Buffer | undefined> {
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(2_000, () => socket.destroy());
  try {
    await once(socket, 'connect');
    if (hello) socket.write(hello);
    const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [])])) as [Buffer?];
    return data;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

async function lastLines(log: string): Promise<string> {
  const said = await readFile(log, 'utf8').catch(() => '');
  return said.split('\n').slice(-15).join('\n');
}

/** Another process could take it before the database does. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
