import type { SqlDialect, SqlFailure, SqlLogger } from '../sql/dialect.ts';
import { resolveAddress, type SqlAddress, type SqlHost } from '../sql/dsn.ts';
import type { SqlOptions } from '../sql/open.ts';
import { NoPrimary, PrimaryFinder } from '../sql/primary.ts';
import { statement } from '../sql/statements.ts';
import { postgresFailure } from './failures.ts';
import { CommitListener } from './listener.ts';
import { migrations } from './schema.ts';
import { PostgresSession } from './session.ts';
import { postgresStatements } from './statements.ts';

const DSN = { schemes: ['postgres', 'postgresql'], port: 5432, parameters: ['sslmode', 'host', 'schema'] };

const checkServer =
  statement(`SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') AS read_only,
  current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS durability`);

/** The server accepts connections but no writes. */
class ReadOnly extends Error {
  readonly code = '25006';
}

export class PostgresDialect implements SqlDialect {
  readonly name = 'PostgreSQL';
  readonly maxValueBytes = 64 * 2 ** 20;
  readonly migrations = migrations;
  readonly sql = postgresStatements;
  readonly pollMs = { alone: 1_000, withPeers: 1_000 };
  /** The write-ahead log is flushed before a commit becomes visible. */
  readonly visibleBeforeDurable = false;
  readonly #primary: PrimaryFinder<PostgresSession>;

  static async open({ dsn, password, tls }: SqlOptions): Promise<PostgresDialect> {
    return new PostgresDialect(await resolveAddress(dsn, DSN, { password, tls }));
  }

  private constructor(address: SqlAddress) {
    const connect = async (host: SqlHost, timeoutMs: number) =>
      prepared(await PostgresSession.connect(address, host, timeoutMs), timeoutMs);
    this.#primary = new PrimaryFinder(address.hosts, connect, postgresFailure);
  }

  connect(timeoutMs: number): Promise<PostgresSession> {
    return this.#primary.connect(timeoutMs);
  }

  failureOf(error: unknown): SqlFailure {
    return error instanceof NoPrimary ? error.failure : postgresFailure(error);
  }

  keyValue(key: string): string {
    return key;
  }

  readKey(value: unknown): string {
    return value as string;
  }

  listen(onCommit: (writer: string, newest: number) => void, logger: SqlLogger | undefined): CommitListener {
    return new CommitListener((timeoutMs) => this.connect(timeoutMs), onCommit, logger);
  }
}

/** Checks that the server takes writes, and that an acknowledged commit is durable. */
async function prepared(session: PostgresSession, timeoutMs: number): Promise<PostgresSession> {
  try {
    const [rows] = await session.run([checkServer], timeoutMs);
    const { standby, read_only, encoding, durability } = rows?.[0] ?? {};
    if (standby || read_only === 'on') throw new ReadOnly(`the database is read-only${standby ? ' (a standby)' : ''}`);
    if (encoding !== 'UTF8') throw new Error(`the database has the encoding ${encoding}, UTF8 is needed`);
    if (durability === 'off') await session.run([statement('SET synchronous_commit = on')], timeoutMs);
    return session;
  } catch (error) {
    session.destroy();
    throw error;
  }
}
