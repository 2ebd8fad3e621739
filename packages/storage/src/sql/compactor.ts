import { FutureRevision } from '../store.ts';
import type { SqlDialect, SqlSession } from './dialect.ts';
import type { SqlState } from './log.ts';
import type { SessionPool } from './pool.ts';
import { commit, markSwept, rollback } from './statements.ts';

/** Revisions per transaction, so that no transaction is long. */
const REVISIONS_AT_ONCE = 1_000;

/**
 * Compaction in two phases. First the compacted revision is committed: reads before it fail from then on. Then the history is
 * swept in short transactions: a value is removed if the change that replaced it is compacted. So every state that can still be
 * read, and the previous value of every change, stays complete. One process sweeps at a time.
 */
export class SqlCompactor {
  readonly #dialect: SqlDialect;
  readonly #pool: SessionPool;
  readonly #readState: () => Promise<SqlState>;
  #sweeping: Promise<void> | undefined;
  #stopped = false;

  constructor(dialect: SqlDialect, pool: SessionPool, readState: () => Promise<SqlState>) {
    this.#dialect = dialect;
    this.#pool = pool;
    this.#readState = readState;
  }

  async compact(revision: number): Promise<void> {
    const { newest, compacted } = await this.#readState();
    if (revision > newest) throw new FutureRevision(newest);
    if (revision > compacted) await this.#pool.read([this.#dialect.sql.markCompacted(revision)]);
    await this.sweep();
  }

  /** Also called at start, to finish an interrupted sweep. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepAll().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#sweeping?.catch(() => {});
  }

  async #sweepAll(): Promise<void> {
    while (!this.#stopped && (await this.#pool.use((session, remainingMs) => this.#sweepSome(session, remainingMs))));
  }

  /** Resolves with whether there is more to sweep. */
  async #sweepSome(session: SqlSession, remainingMs: () => number): Promise<boolean> {
    const { sql } = this.#dialect;
    const [, [row] = []] = await session.run([sql.begin, sql.lockCompaction], remainingMs());
    const swept = (row?.swept as number | undefined) ?? 0;
    const compacted = (row?.compacted as number | undefined) ?? 0;
    const upTo = Math.min(compacted, swept + REVISIONS_AT_ONCE);
    const statements = upTo > swept ? [...sql.sweep(swept, upTo), markSwept(upTo), commit] : [rollback];
    await session.run(statements, remainingMs());
    return upTo < compacted;
  }
}
