import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface DatabaseOptions {
  /** An empty folder for the data; one in the temporary folder if absent. It is not removed. */
  readonly folder?: string;
  /** A folder for the write-ahead log of PostgreSQL; in the folder of the data if absent. */
  readonly logFolder?: string;
  /** Further flags, such as `-c max_connections=20` or `--max-allowed-packet=64M`. */
  readonly args?: readonly string[];
  /** PEM files of the server. If `ca` is set, clients need a certificate of this CA. */
  readonly tls?: { readonly ca?: string; readonly cert: string; readonly key: string };
}

export const databaseUser = 'tsukube';
export const databasePassword = 'p@ss/word';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
const roots = [join(cache, 'postgres'), join(cache, 'mariadb'), '/'];

export interface Program {
  readonly path: string;
  /** Where Debian's package was unpacked. */
  readonly root: string;
}

function find(paths: (root: string) => readonly string[]): Program | undefined {
  for (const root of roots)
    for (const path of paths(root)) if (existsSync(join(root, path))) return { path: join(root, path), root };
  return undefined;
}

export const postgres = find((root) => {
  const versions = join(root, 'usr/lib/postgresql');
  return existsSync(versions) ? readdirSync(versions).map((version) => `usr/lib/postgresql/${version}/bin/postgres`) : [];
});
const mariadb = find(() => ['usr/sbin/mariadbd']);
/** MYSQL_SERVER is the path of a mysqld that is used instead of MariaDB, for example below a folder into which packages were unpacked. */
const mysql = process.env.MYSQL_SERVER;
export const mysqlOrMariadb = mysql ? { path: mysql, root: mysql.replace(/\/usr\/sbin\/mysqld$/, '') || '/' } : mariadb;

export interface Place {
  readonly program: Program;
  readonly folder: string;
  readonly port: number;
  readonly options: DatabaseOptions;
}

/** How to run a server whose data is prepared. */
export interface Prepared {
  readonly scheme: string;
  readonly args: readonly string[];
  readonly owner: Owner | undefined;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Unpacked packages bring libraries that the system lacks. */
export function environment(root: string): NodeJS.ProcessEnv {
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

/** The environment in which a client program such as `pg_dump` is found; undefined if it is not there. */
export function clientEnvironment(kind: 'postgres' | 'mysql', program: string): NodeJS.ProcessEnv | undefined {
  const server = kind === 'postgres' ? postgres : mysqlOrMariadb;
  if (!server) return undefined;
  const folder = kind === 'postgres' ? join(server.path, '..') : join(server.root, 'usr/bin');
  const env = environment(server.root);
  return existsSync(join(folder, program)) ? { ...env, PATH: `${folder}:${env.PATH}` } : undefined;
}

/** PostgreSQL refuses to run as root. */
export function preparePostgres({ program, folder, port, options }: Place): Prepared {
  const owner = process.getuid?.() === 0 ? nobody() : undefined;
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, databasePassword);
  const { logFolder } = options;
  const owned = [folder, passwordFile, ...(logFolder ? [logFolder] : [])];
  if (owner) for (const path of owned) chownSync(path, owner.uid, owner.gid);
  mustRun(program, join(program.path, '..', 'initdb'), owner, [
    ...['--pgdata', data, '--username', databaseUser, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    ...['--encoding', 'UTF8', '--no-locale', '--no-sync', ...(logFolder ? ['--waldir', logFolder] : [])],
  ]);
  const single = ['--single', '-D', data, 'postgres'];
  mustRun(program, program.path, owner, single, 'CREATE DATABASE tsukube;\n');
  return { scheme: 'postgres', owner, args: postgresArgs({ program, folder, port, options }, owner) };
}

/** A copy of a primary that follows it. */
export function prepareStandby(place: Place, primaryPort: number): Prepared {
  const { program, folder } = place;
  const owner = process.getuid?.() === 0 ? nobody() : undefined;
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const connection = `host=127.0.0.1 port=${primaryPort} user=${databaseUser} password=${databasePassword} application_name=standby`;
  const copy = [
    '--pgdata',
    join(folder, 'data'),
    '--dbname',
    connection,
    '--write-recovery-conf',
    '--checkpoint=fast',
    '--no-sync',
  ];
  mustRun(program, join(program.path, '..', 'pg_basebackup'), owner, copy);
  return { scheme: 'postgres', owner, args: postgresArgs(place, owner) };
}

function postgresArgs({ folder, port, options }: Place, owner: Owner | undefined): string[] {
  return [
    ...['-D', join(folder, 'data'), '-p', String(port), '-h', '127.0.0.1', '-k', folder],
    // The page cache survives a kill of the server, so the tests lose nothing.
    ...settings({ fsync: 'off', logging_collector: 'off', log_min_messages: 'warning', max_connections: '60' }),
    ...(options.tls ? postgresTls(folder, options.tls, owner) : []),
  ];
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

/** MySQL or MariaDB, which differ in how an empty database is made. */
export function prepareMysql(place: Place): Prepared {
  return place.program === mariadb ? prepareMariadb(place) : prepareMysqlServer(place);
}

function prepareMysqlServer({ program, folder, port, options }: Place): Prepared {
  const share = join(program.root, 'usr/share/mysql');
  const common = [
    ...['--no-defaults', `--datadir=${join(folder, 'data')}`, `--lc-messages-dir=${share}`],
    ...[`--character-sets-dir=${join(share, 'charsets')}`, '--mysqlx=OFF', '--secure-file-priv=NULL'],
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ];
  mustRun(program, program.path, undefined, [...common, '--initialize-insecure']);
  return { scheme: 'mysql', owner: undefined, args: [...common, ...mysqlArgs({ program, folder, port, options })] };
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
  return { scheme: 'mysql', owner: undefined, args: [...common, ...mysqlArgs({ program, folder, port, options })] };
}

function mysqlArgs({ folder, port, options: { tls } }: Place): string[] {
  const init = join(folder, 'init.sql');
  writeFileSync(init, mysqlUser);
  return [
    ...[`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 's')}`, `--pid-file=${join(folder, 'pid')}`],
    ...[`--init-file=${init}`, '--skip-name-resolve', '--innodb-flush-method=nosync', '--innodb-buffer-pool-size=128M'],
    ...(tls ? [`--ssl-cert=${tls.cert}`, `--ssl-key=${tls.key}`, '--require-secure-transport=ON'] : []),
    ...(tls?.ca ? [`--ssl-ca=${tls.ca}`] : []),
  ];
}

function withoutHostName(script: string): string {
  return script
    .split('\n')
    .filter((line) => !line.includes('@current_hostname'))
    .join('\n');
}

const mysqlUser = [
  'CREATE DATABASE IF NOT EXISTS tsukube;',
  `CREATE USER IF NOT EXISTS '${databaseUser}'@'127.0.0.1' IDENTIFIED BY '${databasePassword}';`,
  `GRANT ALL ON *.* TO '${databaseUser}'@'127.0.0.1' WITH GRANT OPTION;`,
].join('\n');

/** The user nobody, as whom a program can run that refuses root. */
export function nobody(): Owner {
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'));
  const [, , uid, gid] = entry?.split(':') ?? [];
  return { uid: Number(uid ?? 65534), gid: Number(gid ?? 65534) };
}

export function mustRun({ root }: Program, path: string, owner: Owner | undefined, args: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync(path, args, {
    env: environment(root),
    cwd: tmpdir(),
    input,
    encoding: 'utf8',
    ...owner,
  });
  if (status !== 0) throw new Error(`${path} failed: ${stderr || stdout}`);
}
