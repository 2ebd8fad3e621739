import { isIP } from 'node:net';
import type { SqlDialect, SqlFailure, SqlLogger } from '../sql/dialect.ts';
import { BadDsn, resolveAddress, type SqlAddress, type SqlHost } from '../sql/dsn.ts';
import type { SqlOptions } from '../sql/open.ts';
import { NoPrimary, PrimaryFinder } from '../sql/primary.ts';
import { statement } from '../sql/statements.ts';
import { mysqlFailure } from './failures.ts';
import { migrations } from './schema.ts';
import { MysqlSession } from './session.ts';
import { mysqlStatements } from './statements.ts';

const DSN = { schemes: ['mysql', 'mariadb'], port: 3306, parameters: ['sslmode', 'ssl-mode', 'socket'] };

const MIN_PACKET = 8 * 2 ** 20;
/** Values are sent in hexadecimal, and the packet holds more than the value. */
const PACKET_RESERVE = 2 ** 20;

const setUp = [
  statement('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'),
  statement(`SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1, time_zone = '+00:00'`),
  // A transaction that waits for its client, such as one of a suspended server, holds the revision row no longer than this.
  statement('SET SESSION innodb_lock_wait_timeout = 5, wait_timeout = 20'),
];
const setUpMariadb = statement('SET SESSION idle_transaction_timeout = 5');

const checkServer =
  statement(`SELECT VERSION() AS version, @@global.read_only AS read_only, @@innodb_read_only AS innodb_read_only,
  @@max_allowed_packet AS packet, @@log_bin AS log_bin, @@sync_binlog AS sync_binlog,
  @@innodb_flush_log_at_trx_commit AS flush_log`);

/** The server accepts connections but no writes. */
class ReadOnly extends Error {
  readonly errno = 1290;
}

export class MysqlDialect implements SqlDialect {
  readonly name = 'MySQL';
  maxValueBytes = MIN_PACKET / 2 - PACKET_RESERVE;
  readonly migrations = migrations;
  readonly sql = mysqlStatements;
  readonly pollMs = { alone: 100, withPeers: 10 };
  visibleBeforeDurable = true;
  readonly #primary: PrimaryFinder<MysqlSession>;
  readonly #logger: SqlLogger | undefined;
  #warned = false;

  static async open({ dsn, password, tls, logger }: SqlOptions): Promise<MysqlDialect> {
    const address = await resolveAddress(dsn, DSN, { password, tls });
    checkVerifiable(address);
    return new MysqlDialect(address, logger);
  }

  private constructor(address: SqlAddress, logger: SqlLogger | undefined) {
    const connect = async (host: SqlHost, timeoutMs: number) =>
      this.#prepare(await MysqlSession.connect(address, host, timeoutMs), timeoutMs);
    this.#primary = new PrimaryFinder(address.hosts, connect, mysqlFailure);
    this.#logger = logger;
  }

  connect(timeoutMs: number): Promise<MysqlSession> {
    return this.#primary.connect(timeoutMs);
  }

  failureOf(error: unknown): SqlFailure {
    return error instanceof NoPrimary ? error.failure : mysqlFailure(error);
  }

  keyValue(key: string): Uint8Array {
    return Buffer.from(key);
  }

  readKey(value: unknown): string {
    return (value as Buffer).toString();
  }

  async #prepare(session: MysqlSession, timeoutMs: number): Promise<MysqlSession> {
    try {
      const [rows] = await session.run([checkServer, ...setUp], timeoutMs);
      const server = rows?.[0] ?? {};
      const version = String(server.version);
      checkVersion(version);
      if (version.includes('MariaDB')) await session.run([setUpMariadb], timeoutMs);
      if (server.read_only || server.innodb_read_only) throw new ReadOnly('the database is read-only');
      const packet = server.packet as number;
      if (packet < MIN_PACKET) throw new Error(`max_allowed_packet is ${packet}, at least ${MIN_PACKET} is needed`);
      this.maxValueBytes = packet / 2 - PACKET_RESERVE;
      this.#noteDurability(server.flush_log === 1, Boolean(server.log_bin) && server.sync_binlog === 1);
      return session;
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  /** With a binary log that is synced at every commit, a commit is durable before it becomes visible. */
  #noteDurability(flushesLog: boolean, syncsBinaryLog: boolean): void {
    this.visibleBeforeDurable = !syncsBinaryLog;
    if (flushesLog || this.#warned) return;
    this.#warned = true;
    this.#logger?.warn('innodb_flush_log_at_trx_commit is not 1: a crash of the database may lose acknowledged writes');
  }
}

/** mysql2 compares the certificate of a server that is named by an IP address with the name localhost. */
function checkVerifiable({ tls, hosts }: SqlAddress): void {
  const unnamed = hosts.find(({ host }) => isIP(host) !== 0 && !host.startsWith('127.') && host !== '::1');
  if (unnamed && tls?.rejectUnauthorized && !tls.checkServerIdentity)
    throw new BadDsn(
      `the certificate of ${unnamed.host} cannot be verified by IP address: use a host name, or sslmode=verify-ca`,
    );
}

function checkVersion(version: string): void {
  const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
  const isMariadb = version.includes('MariaDB');
  const isSupported = isMariadb ? major > 10 || (major === 10 && minor >= 6) : major >= 8;
  if (!isSupported) throw new Error(`version ${version} is too old; MySQL 8.0 or MariaDB 10.6 is needed`);
}
