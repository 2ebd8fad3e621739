import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type DatabaseOptions,
  databasePassword,
  databaseUser,
  environment,
  mysqlOrMariadb,
  type Owner,
  type Place,
  type Prepared,
  type Program,
  postgres,
  prepareMysql,
  preparePostgres,
  prepareStandby,
} from './database-programs.ts';

export { clientEnvironment, databasePassword, databaseUser } from './database-programs.ts';

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

/** The name of a storage backend, as in `--storage`. */
export type DatabaseKind = 'postgres' | 'mysql';

/** The reason to skip suites that need a database server; undefined if it is there. For `describe.skipIf(…)`. */
export const databaseMissing: Readonly<Record<DatabaseKind, string | undefined>> = {
  postgres: postgres ? undefined : 'PostgreSQL is not installed',
  mysql: mysqlOrMariadb ? undefined : 'MariaDB is not installed',
};

for (const reason of Object.values(databaseMissing)) if (reason) console.warn(`${reason}: suites that need it are skipped`);

/** Starts a PostgreSQL or MariaDB server in a folder of its own and waits until it accepts connections. */
export async function startDatabase(kind: DatabaseKind, options: DatabaseOptions = {}): Promise<RunningDatabase> {
  const program = kind === 'postgres' ? postgres : mysqlOrMariadb;
  if (!program) throw new Error(databaseMissing[kind]);
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), `tsukube-${kind}-`)));
  const place = { program, folder, port: await freePort(), options };
  const server = new DatabaseProcess(place, kind === 'postgres' ? preparePostgres(place) : prepareMysql(place));
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** Starts a PostgreSQL standby that follows a primary by streaming replication. */
export async function startStandby(primary: RunningDatabase): Promise<RunningDatabase> {
  if (!postgres) throw new Error(databaseMissing.postgres);
  const folder = await mkdtemp(join(tmpdir(), 'tsukube-standby-'));
  const place = { program: postgres, folder, port: await freePort(), options: {} };
  const server = new DatabaseProcess(place, prepareStandby(place, primary.port));
  await server.start();
  return server;
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

/** Kills a server with its children: those of PostgreSQL would keep running for a moment and hold its port and memory. */
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
