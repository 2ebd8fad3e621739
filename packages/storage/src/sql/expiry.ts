import { ExpiryTimer, monotonicClock } from '../clock.ts';
import { Mismatch } from '../store.ts';
import type { SqlDialect, SqlRow } from './dialect.ts';
import type { SessionPool } from './pool.ts';

const REMOVALS_AT_ONCE = 256;
/** Keys that other processes wrote with a shorter TTL are noticed after this time. */
const LOOK_AGAIN_MS = 10_000;

type Remove = (key: string, expected: number) => Promise<unknown>;

/**
 * Deletes expired keys with ordinary writes. Expiry is a time of the database's clock, so that the clocks of servers do not
 * matter. Every server does this; a key that another one has deleted is skipped.
 */
export class SqlExpiry {
  readonly #dialect: SqlDialect;
  readonly #pool: SessionPool;
  readonly #remove: Remove;
  readonly #timer: ExpiryTimer;

  constructor(dialect: SqlDialect, pool: SessionPool, remove: Remove) {
    this.#dialect = dialect;
    this.#pool = pool;
    this.#remove = remove;
    this.#timer = new ExpiryTimer(monotonicClock, () => this.#removeExpired());
  }

  /** Looks for expired keys after this many seconds, at the latest. */
  expect(seconds: number): void {
    this.#timer.expect(monotonicClock.now() + seconds * 1000);
  }

  stop(): Promise<void> {
    return this.#timer.stop();
  }

  async #removeExpired(): Promise<number> {
    while (await this.#removeSome());
    const [rows] = await this.#pool.read([this.#dialect.sql.nextExpiry]);
    const ms = (rows?.[0]?.ms as number | null | undefined) ?? LOOK_AGAIN_MS;
    return monotonicClock.now() + Math.max(1, Math.min(ms, LOOK_AGAIN_MS));
  }

  /** Resolves with whether it deleted any. */
  async #removeSome(): Promise<boolean> {
    const [rows = []] = await this.#pool.read([this.#dialect.sql.expired(REMOVALS_AT_ONCE)]);
    const removed = await Promise.all(rows.map((row) => this.#removeOne(row)));
    return removed.includes(true);
  }

  /** A key that has been written meanwhile does not expire. */
  async #removeOne(row: SqlRow): Promise<boolean> {
    try {
      await this.#remove(this.#dialect.readKey(row.object_key), row.revision as number);
      return true;
    } catch (error) {
      if (error instanceof Mismatch) return false;
      throw error;
    }
  }
}
