import type { SqlDialect, SqlLogger } from './dialect.ts';
import { type SqlLog, stateOf } from './log.ts';
import type { SessionPool } from './pool.ts';
import { readState } from './statements.ts';

const POLL_TIMEOUT_MS = 5_000;
const AFTER_FAILURE_MS = 500;
const HEARTBEAT_MS = 10_000;

interface FollowerOptions {
  readonly dialect: SqlDialect;
  readonly pool: SessionPool;
  readonly log: SqlLog;
  /** Identifies this process among writers. */
  readonly writer: string;
  /** Tells other processes that this one is alive. */
  readonly heartbeat: () => Promise<void>;
  readonly logger: SqlLogger | undefined;
}

/**
 * Notices the commits of other processes: by notifications where the database has them, and by reading the newest revision at
 * an interval, which is short where there are no notifications and other processes are alive.
 */
export class SqlFollower {
  readonly #options: FollowerOptions;
  readonly #listener: { stop(): Promise<void> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #beatAt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: FollowerOptions) {
    const { dialect, log, writer, logger } = options;
    this.#options = options;
    this.#listener = dialect.listen?.((from, newest) => {
      if (from !== writer) log.reach(newest);
    }, logger);
    this.#schedule(dialect.pollMs.withPeers);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await Promise.all([this.#listener?.stop(), this.#polling]);
  }

  #schedule(ms: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll().then(
        (next) => this.#schedule(next),
        () => this.#schedule(AFTER_FAILURE_MS),
      );
    }, ms).unref();
  }

  #beat(): void {
    const now = performance.now();
    if (now - this.#beatAt < HEARTBEAT_MS) return;
    this.#beatAt = now;
    this.#options.heartbeat().catch(() => {});
  }

  /** Resolves with the time until the next poll. */
  async #poll(): Promise<number> {
    const { dialect, pool, log, writer } = this.#options;
    this.#beat();
    const known = log.position;
    const [states, peers] = await pool.read([readState, dialect.sql.countPeers(writer)], POLL_TIMEOUT_MS);
    log.observe(stateOf(states?.[0]), known);
    return (peers?.[0]?.peers as number) > 0 ? dialect.pollMs.withPeers : dialect.pollMs.alone;
  }
}
