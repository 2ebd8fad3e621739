import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '../store.ts';
import type { SqlDialect, SqlLogger, SqlSession } from './dialect.ts';
import type { SqlTls } from './dsn.ts';
import { backoff } from './failures.ts';
import { stateOf } from './log.ts';
import { messageOf } from './primary.ts';
import { prepareSchema } from './schema.ts';
import { SqlStore } from './sql-store.ts';
import { readState, removeWriter } from './statements.ts';

export interface SqlOptions {
  /** `scheme://user:password@host:port/database?sslmode=…`; several hosts are separated by commas. */
  readonly dsn: string;
  /** Overrides the password of the DSN. */
  readonly password?: string | undefined;
  readonly tls?: SqlTls | undefined;
  /** Timeout of a request, retries included; 10 s if absent. */
  readonly timeoutMs?: number | undefined;
  /** Connections for reads; 8 if absent. Two more are used for writes and notifications. */
  readonly connections?: number | undefined;
  readonly logger?: SqlLogger | undefined;
}

const DEFAULTS = { timeoutMs: 10_000, connections: 8 };

/** Opens the store and prepares its schema. Waits for a database that is starting; rejects if it cannot be used. */
export async function openSqlStore(dialect: SqlDialect, options: SqlOptions): Promise<Store> {
  const { timeoutMs = DEFAULTS.timeoutMs, connections = DEFAULTS.connections, logger } = options;
  const session = await connectPatiently(dialect, timeoutMs);
  try {
    await prepareSchema(dialect, session);
    const [states] = await session.run([readState], timeoutMs);
    await flush(dialect, session, timeoutMs);
    await session.run([dialect.sql.removeStaleWriters], timeoutMs);
    return new SqlStore(dialect, stateOf(states?.[0]), { timeoutMs, connections, logger });
  } catch (error) {
    throw new Error(`${dialect.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    await session.close();
  }
}

/** A commit after the state was read: where commits are visible before they are durable, it makes that state durable. */
async function flush({ sql }: SqlDialect, session: SqlSession, timeoutMs: number): Promise<void> {
  const writer = randomUUID();
  await session.run([sql.heartbeat(writer)], timeoutMs);
  await session.run([removeWriter(writer)], timeoutMs);
}

async function connectPatiently(dialect: SqlDialect, timeoutMs: number): Promise<SqlSession> {
  const deadline = performance.now() + timeoutMs;
  for (let failures = 0; ; failures++) {
    try {
      return await dialect.connect(Math.max(1, deadline - performance.now()));
    } catch (error) {
      const failure = dialect.failureOf(error);
      const delay = backoff(failures);
      if ((failure !== 'lost' && failure !== 'retry') || performance.now() + delay > deadline)
        throw new Error(`cannot connect to ${dialect.name}: ${messageOf(error)}`, { cause: error });
      await pause(delay);
    }
  }
}
