import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Entry, NoSpace, RequestTooLarge, Unavailable } from '../store.ts';
import type { SqlDialect, SqlLogger, SqlSession } from './dialect.ts';
import { backoff } from './failures.ts';
import { isBehind, type Position, positionOf, repairHistory } from './history.ts';
import { closed, unavailable } from './pool.ts';
import { commit, lockRevision, readBatch, readState, removeWriter, rollback } from './statements.ts';
import { type Attempt, headsOf, WriteGroup } from './write-group.ts';
import { unexpired, WriteQueue } from './write-queue.ts';

/** Expired writes are looked for this often while the database does not answer. */
const EXPIRY_CHECK_MS = 250;
/** How much longer than its timeout a write waits to learn whether its commit succeeded. */
const RESOLVE_MS = 20_000;
/** For how long a failure that no later write has refuted fails the health check. */
const FAILING_MS = 15_000;
const PING_MS = 2_000;

export type WriteRequest = Pick<Attempt, 'key' | 'value' | 'expected' | 'isCancelled'> & {
  readonly ttlSeconds?: number | undefined;
};

interface WriterOptions {
  readonly dialect: SqlDialect;
  readonly timeoutMs: number;
  readonly logger: SqlLogger | undefined;
  /** Called with each committed group before its writes are acknowledged. */
  readonly onCommit: (group: WriteGroup) => void;
  /** The newest position this process has seen. */
  readonly position: () => Position;
  /** Called if the database has lost revisions that this process has seen, with the new position. */
  readonly onLoss: (position: Position) => void;
}

/**
 * Group commit: all writes that arrive while a transaction is in flight share the next one. A transaction takes two round trips:
 * it locks the revision row and reads the newest values of its keys, then writes the changes and commits. As writers of all
 * processes hold that row from the assignment of revisions to the commit, revisions become visible in order and without gaps.
 *
 * Each transaction also records its number in the row of this process. If a commit fails or its answer is lost, a new session locks
 * the revision row, which waits for the end of the old transaction, and reads that number: it tells whether the commit succeeded.
 */
export class SqlWriter {
  readonly id = randomUUID();
  readonly #options: WriterOptions;
  readonly #queue = new WriteQueue();
  #session: SqlSession | undefined;
  #connections = 0;
  #batch = 0;
  #loop: Promise<void> | undefined;
  #inFlight: { readonly group: WriteGroup; readonly done: Promise<void> } | undefined;
  /** Small transactions, which run before the next group. */
  readonly #tasks: (() => Promise<void>)[] = [];
  #failing: { readonly error: Unavailable; readonly since: number } | undefined;
  #ping: Promise<void> | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #closed = false;
  #abandoned = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Queues a write. Resolves when it is durable. */
  write({ key, value, expected, isCancelled, ttlSeconds = 0 }: WriteRequest): Promise<Entry> {
    if (this.#closed) return Promise.reject(closed());
    if ((value?.length ?? 0) > this.#options.dialect.maxValueBytes) return Promise.reject(new RequestTooLarge());
    const deadline = performance.now() + this.#options.timeoutMs;
    return new Promise((resolve, reject) => {
      this.#queue.add({ key, value, expected, ttlSeconds, isCancelled, deadline, resolve, reject });
      this.#run();
    });
  }

  /** Settles with the transaction in flight if it contains writes that were cancelled after they were evaluated. */
  cancelledUnderWay(): Promise<void> | undefined {
    return this.#inFlight?.group.hasCancelled ? this.#inFlight.done : undefined;
  }

  get connections(): number {
    return this.#connections;
  }

  /** Settles with the commit in flight; undefined if there is none. */
  inFlight(): Promise<void> | undefined {
    return this.#inFlight?.done;
  }

  /** Commits a small transaction. Rejects if the database takes no writes. */
  heartbeat(): Promise<void> {
    const { dialect, timeoutMs } = this.#options;
    return this.#enqueue(async (session) => {
      await session.run([dialect.sql.heartbeat(this.id)], timeoutMs);
    });
  }

  /** Finds out whether the database has lost revisions, and resolves when `onLoss` was called in that case. */
  checkHistory(): Promise<void> {
    return this.#enqueue((session) => this.#checkHistory(session));
  }

  /** Rejects if the database takes no writes, or does not answer in time. */
  async ping(): Promise<void> {
    if (this.#failing && performance.now() - this.#failing.since < FAILING_MS) throw this.#failing.error;
    this.#ping ??= this.heartbeat().finally(() => {
      this.#ping = undefined;
    });
    const { name } = this.#options.dialect;
    const late = new Unavailable(`${name} has not answered for ${PING_MS / 1000} seconds`, { unwritten: true });
    await Promise.race([this.#ping, pause(PING_MS, undefined, { ref: false }).then(() => Promise.reject(late))]);
  }

  /** Rejects new writes and waits for the accepted ones. */
  async close(): Promise<void> {
    this.#closed = true;
    const { timeoutMs } = this.#options;
    const giveUp = setTimeout(() => {
      this.#abandoned = true;
    }, timeoutMs).unref();
    await this.#loop;
    clearTimeout(giveUp);
    clearInterval(this.#expiry);
    const session = this.#session;
    this.#session = undefined;
    if (session && !session.broken) await session.run([removeWriter(this.id)], timeoutMs).catch(() => {});
    await session?.close();
  }

  #enqueue(task: (session: SqlSession) => Promise<void>): Promise<void> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => this.#perform(task).then(resolve, reject));
      this.#run();
    });
  }

  async #perform(task: (session: SqlSession) => Promise<void>): Promise<void> {
    try {
      await task(await this.#connected());
    } catch (error) {
      this.#dropSession();
      throw this.#reported(error);
    }
  }

  #run(): void {
    this.#expiry ??= setInterval(() => this.#queue.expire(this.#noAnswer()), EXPIRY_CHECK_MS).unref();
    this.#loop ??= this.#commitAll().finally(() => {
      this.#loop = undefined;
      clearInterval(this.#expiry);
      this.#expiry = undefined;
      if (this.#hasWork) this.#run();
    });
  }

  get #hasWork(): boolean {
    return !this.#queue.isEmpty || this.#tasks.length > 0;
  }

  /** Waits a turn, so that writes of one turn share a transaction. */
  async #commitAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#hasWork) {
      for (const task of this.#tasks.splice(0, 1)) await task();
      if (!this.#queue.isEmpty) await this.#commitGroup(this.#queue.takeGroup());
    }
  }

  /** Retries while the error is transient and some writes have time left. */
  async #commitGroup(attempts: readonly Attempt[]): Promise<void> {
    let pending = attempts;
    for (let failures = 0; ; failures++) {
      const error = await this.#tryCommit(pending);
      if (error === undefined) return;
      const failure = this.#noteFailure(error);
      pending = failure.isTransient && !this.#abandoned ? unexpired(pending, failure.error) : rejectAll(pending, failure.error);
      if (pending.length === 0) return;
      await pause(backoff(failures));
    }
  }

  #noteFailure(error: unknown): { readonly error: Unavailable; readonly isTransient: boolean } {
    const { dialect, logger } = this.#options;
    const failure = dialect.failureOf(error);
    const reported = this.#reported(error);
    if (!this.#failing) logger?.warn('a write to the database failed', { error: String(error) });
    this.#failing = { error: reported, since: performance.now() };
    return { error: reported, isTransient: failure === 'lost' || failure === 'retry' || failure === 'read-only' };
  }

  /** Returns the error if nothing was written. */
  async #tryCommit(attempts: readonly Attempt[]): Promise<unknown> {
    const { dialect, timeoutMs } = this.#options;
    let group: WriteGroup;
    try {
      const session = await this.#connected();
      const keys = [...new Set(attempts.map(({ key }) => key))];
      const [, locked, heads = []] = await session.run([dialect.sql.begin, lockRevision, dialect.sql.heads(keys)], timeoutMs);
      group = new WriteGroup(attempts, headsOf(dialect, heads), positionOf(locked?.[0]));
      if (group.changes.length === 0) await session.run([rollback], timeoutMs);
    } catch (error) {
      this.#dropSession();
      return error;
    }
    if (group.changes.length > 0) {
      const failed = await this.#writeGroup(group);
      if (failed) return failed.error;
    }
    this.#failing = undefined;
    group.resolve();
    return undefined;
  }

  async #writeGroup(group: WriteGroup): Promise<{ readonly error: unknown } | undefined> {
    const { dialect, timeoutMs, onCommit } = this.#options;
    const batch = ++this.#batch;
    const { promise: done, resolve: settle } = deferred();
    this.#inFlight = { group, done };
    try {
      const rows = { writer: this.id, batch, changes: group.rows, newest: group.newest, ...idsOf(group) };
      await (this.#session as SqlSession).run([...dialect.sql.write(rows), commit], timeoutMs);
    } catch (error) {
      this.#dropSession();
      if (!(await this.#isCommitted(batch, group, error))) return { error };
    } finally {
      this.#inFlight = undefined;
      settle();
    }
    onCommit(group);
    return undefined;
  }

  /** Whether a transaction that ended with an error was committed. Repeats the question until it is answered. */
  async #isCommitted(batch: number, group: WriteGroup, cause: unknown): Promise<boolean> {
    const { dialect, timeoutMs } = this.#options;
    const deadline = performance.now() + RESOLVE_MS;
    for (let failures = 0; ; failures++) {
      try {
        const session = await this.#connected();
        const [, , rows] = await session.run([dialect.sql.begin, lockRevision, readBatch(this.id)], timeoutMs);
        await session.run([rollback], timeoutMs);
        return rows?.[0]?.batch === batch;
      } catch (error) {
        this.#dropSession();
        const isOver = this.#abandoned || performance.now() > deadline;
        if (isOver) for (const { attempt } of group.outcomes) attempt.reject(unavailable(dialect, cause));
        if (this.#abandoned) return false;
        this.#noteFailure(error);
        await pause(backoff(failures));
      }
    }
  }

  #reported(error: unknown): Unavailable {
    const { dialect } = this.#options;
    return dialect.failureOf(error) === 'full' ? new NoSpace({ cause: error }) : unavailable(dialect, error, true);
  }

  #noAnswer(): Unavailable {
    return this.#failing?.error ?? new Unavailable('the database does not answer', { unwritten: true });
  }

  async #connected(): Promise<SqlSession> {
    if (this.#session && !this.#session.broken) return this.#session;
    const { dialect, timeoutMs, position } = this.#options;
    this.#session = undefined;
    const known = position();
    const session = await dialect.connect(timeoutMs);
    try {
      const [, [state] = []] = await session.run([dialect.sql.heartbeat(this.id), readState], timeoutMs);
      if (isBehind(positionOf(state), known)) await this.#checkHistory(session);
    } catch (error) {
      session.destroy();
      throw error;
    }
    this.#session = session;
    this.#connections++;
    return session;
  }

  async #checkHistory(session: SqlSession): Promise<void> {
    const { dialect, timeoutMs, position, onLoss } = this.#options;
    const replaced = await repairHistory(session, dialect, position(), timeoutMs);
    if (replaced) onLoss(replaced);
  }

  #dropSession(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }
}

function idsOf({ commitId, base }: WriteGroup): { readonly commitId: number; readonly parentId: number } {
  return { commitId, parentId: base.commitId };
}

function rejectAll(attempts: readonly Attempt[], error: Unavailable): readonly Attempt[] {
  for (const attempt of attempts) attempt.reject(error);
  return [];
}

function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
