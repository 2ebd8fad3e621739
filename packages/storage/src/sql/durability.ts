import type { SqlDialect } from './dialect.ts';

/** The part of the writer that the barrier uses. */
interface Commits {
  /** Number of connections that commits have used so far. */
  readonly connections: number;
  /** Settles with the commit in flight; undefined if there is none. */
  inFlight(): Promise<void> | undefined;
  /** Commits a transaction of this process. */
  heartbeat(): Promise<void>;
}

/**
 * Keeps reads from showing a write that a crash of the database could undo. PostgreSQL makes a commit visible after it is
 * durable. InnoDB without a synced binary log does so before its log is flushed: there, a read that meets such a revision waits
 * for the commit of this process, or commits a transaction itself, which flushes the log up to and beyond that revision.
 */
export class Durability {
  readonly #dialect: SqlDialect;
  readonly #commits: Commits;
  #durable = 0;
  #barrier: Promise<void> | undefined;

  constructor(dialect: SqlDialect, commits: Commits) {
    this.#dialect = dialect;
    this.#commits = commits;
  }

  /** A commit up to this revision was acknowledged by the database. */
  note(revision: number): void {
    this.#durable = Math.max(this.#durable, revision);
  }

  /** Call before a read, and pass the result to `confirm`. */
  begin(): number {
    return this.#commits.connections;
  }

  /**
   * Resolves when a revision that was read is durable. Resolves to false if that cannot be known: if commits have changed to another
   * connection since the read began, the database may have crashed in between, and the revision may be another one now.
   */
  async confirm(revision: number, began: number): Promise<boolean> {
    if (!this.#dialect.visibleBeforeDurable || revision <= this.#durable) return true;
    await this.#commits.inFlight();
    // A barrier that began before this call may have begun before the revision was visible.
    if (revision > this.#durable && this.#barrier) await this.#barrier.catch(() => {});
    if (revision > this.#durable) await this.#flush();
    if (this.#commits.connections !== began) return false;
    this.note(revision);
    return true;
  }

  #flush(): Promise<void> {
    this.#barrier ??= this.#commits.heartbeat().finally(() => {
      this.#barrier = undefined;
    });
    return this.#barrier;
  }
}
