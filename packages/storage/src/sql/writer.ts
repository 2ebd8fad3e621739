import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { checkKey } from '../keys.ts';
import { type Entry, NoSpace, RequestTooLarge, Unavailable } from '../store.ts';
import type { SqlDialect, SqlLogger, SqlSession } from './dialect.ts';
import { closed, unavailable } from './pool.ts';
import { backoff } from './retry.ts';
import { commit, lockRevision, readBatch, readState, removeWriter, rollback } from './statements.ts';
import { type Attempt, headsOf, WriteGroup } from './write-group.ts';

const MAX_GROUP = { writes: 500, bytes: 4 * 2 ** 20 };
const MAX_WAITING = { writes: 20_000, bytes: 256 * 2 ** 20 };
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
  /** The newest revision this process has seen. */
  readonly newest: () => number;
  /** Called if the database is in an older state than this process has seen. */
  readonly onLoss: (newest: number) => void;
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
  readonly #waiting: Attempt[] = [];
  #waitingBytes = 0;
  #session: SqlSession | undefined;
  #batch = 0;
  #committed = 0;
  #loop: Promise<void> | undefined;
  #inFlight: { readonly group: WriteGroup; readonly done: Promise<void> } | undefined;
  #heartbeats: (() => Promise<void>)[] = [];
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
    const bytes = value?.length ?? 0;
    if (this.#closed) return Promise.reject(closed());
    if (bytes > this.#options.dialect.maxValueBytes) return Promise.reject(new RequestTooLarge());
    if (this.#waiting.length >= MAX_WAITING.writes || this.#waitingBytes + bytes > MAX_WAITING.bytes)
      return Promise.reject(new Unavailable('too many writes are waiting for the database', { unwritten: true }));
    const deadline = performance.now() + this.#options.timeoutMs;
    return new Promise((resolve, reject) => {
      checkKey(key);
      if (key.includes('\0')) throw new RangeError('a key must not contain NUL');
      this.#waiting.push({ key, value, expected, ttlSeconds, isCancelled, deadline, resolve, reject });
      this.#waitingBytes += bytes;
      this.#run();
    });
  }

  /** Settles with the transaction in flight if it contains writes that were cancelled after they were evaluated. */
  cancelledUnderWay(): Promise<void> | undefined {
    return this.#inFlight?.group.hasCancelled ? this.#inFlight.done : undefined;
  }

  /** Settles with the commit in flight; undefined if there is none. */
  inFlight(): Promise<void> | undefined {
    return this.#inFlight?.done;
  }

  /** Commits a small transaction. Rejects if the database takes no writes. */
  heartbeat(): Promise<void> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#heartbeats.push(() => this.#beat().then(resolve, reject));
      this.#run();
    });
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

  #run(): void {
    this.#expiry ??= setInterval(() => this.#expireWaiting(), EXPIRY_CHECK_MS).unref();
    this.#loop ??= this.#commitAll().finally(() => {
      this.#loop = undefined;
      clearInterval(this.#expiry);
      this.#expiry = undefined;
      if (this.#waiting.length > 0 || this.#heartbeats.length > 0) this.#run();
    });
  }

  /** Waits a turn, so that writes of one turn share a transaction. */
  async #commitAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0 || this.#heartbeats.length > 0) {
      for (const beat of this.#heartbeats.splice(0, 1)) await beat();
      if (this.#waiting.length > 0) await this.#commitGroup(this.#takeGroup());
    }
  }

  #takeGroup(): Attempt[] {
    let bytes = 0;
    let count = 0;
    for (const { value } of this.#waiting) {
      bytes += value?.length ?? 0;
      if (count > 0 && (count === MAX_GROUP.writes || bytes > MAX_GROUP.bytes)) break;
      count++;
    }
    const group = this.#waiting.splice(0, count);
    for (const { value } of group) this.#waitingBytes -= value?.length ?? 0;
    return group;
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
    const reported = failure === 'full' ? new NoSpace({ cause: error }) : unavailable(dialect, error, true);
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
      group = new WriteGroup(attempts, headsOf(dialect, heads), locked?.[0]?.newest as number);
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
      const rows = { writer: this.id, batch, changes: group.rows, newest: group.newest };
      await (this.#session as SqlSession).run([...dialect.sql.write(rows), commit], timeoutMs);
    } catch (error) {
      this.#dropSession();
      if (!(await this.#isCommitted(batch, group, error))) return { error };
    } finally {
      this.#inFlight = undefined;
      settle();
    }
    this.#committed = batch;
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
        if (failures === 0) this.#noteFailure(error);
        await pause(backoff(failures));
      }
    }
  }

  async #beat(): Promise<void> {
    const { dialect, timeoutMs } = this.#options;
    try {
      const session = await this.#connected();
      await session.run([dialect.sql.heartbeat(this.id)], timeoutMs);
    } catch (error) {
      this.#dropSession();
      throw dialect.failureOf(error) === 'full' ? new NoSpace({ cause: error }) : unavailable(dialect, error, true);
    }
  }

  async #connected(): Promise<SqlSession> {
    if (this.#session && !this.#session.broken) return this.#session;
    const { dialect, timeoutMs, newest, onLoss } = this.#options;
    this.#session = undefined;
    const known = newest();
    const session = await dialect.connect(timeoutMs);
    try {
      const statements = [dialect.sql.heartbeat(this.id), readState, readBatch(this.id)];
      const [, [state] = [], [own] = []] = await session.run(statements, timeoutMs);
      const found = own?.batch as number;
      if ((state?.newest as number) < known || found < this.#committed) onLoss(state?.newest as number);
      this.#committed = Math.min(this.#committed, found);
    } catch (error) {
      session.destroy();
      throw error;
    }
    this.#session = session;
    return session;
  }

  #dropSession(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  /** Only while the database does not answer: a group in flight has its own deadlines. */
  #expireWaiting(): void {
    const error = this.#failing?.error ?? new Unavailable('the database does not answer', { unwritten: true });
    const kept = unexpired(this.#waiting, error);
    if (kept.length === this.#waiting.length) return;
    this.#waiting.splice(0, this.#waiting.length, ...kept);
    this.#waitingBytes = kept.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
  }
}

/** Rejects the writes whose time is over and returns the others. */
function unexpired(attempts: readonly Attempt[], error: Unavailable): readonly Attempt[] {
  const now = performance.now();
  return attempts.filter((attempt) => {
    if (attempt.deadline > now) return true;
    attempt.reject(error);
    return false;
  });
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
