import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../store.ts';
import type { SqlDialect, SqlRow, SqlSession, Statement } from './dialect.ts';
import { backoff } from './failures.ts';

interface Waiting {
  readonly resolve: (session: SqlSession) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: NodeJS.Timeout;
}

const MAX_WAITING = 10_000;
const MAX_IDLE = 4;

/** A limited number of connections for reads. A read that meets a broken connection is repeated on another. */
export class SessionPool {
  readonly #dialect: SqlDialect;
  readonly #size: number;
  readonly #timeoutMs: number;
  readonly #idle: SqlSession[] = [];
  readonly #waiting = new Set<Waiting>();
  readonly #busy = new Set<SqlSession>();
  /** Connections in use that are closed when they are released. */
  readonly #retired = new WeakSet<SqlSession>();
  /** Connections in use or being opened. */
  #open = 0;
  #closed = false;

  constructor(dialect: SqlDialect, size: number, timeoutMs: number) {
    this.#dialect = dialect;
    this.#size = size;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs statements that only read. */
  read(statements: readonly Statement[], timeoutMs = this.#timeoutMs): Promise<readonly (readonly SqlRow[])[]> {
    return this.use((session, remainingMs) => session.run(statements, remainingMs()), timeoutMs);
  }

  /** Calls `action` with a connection of its own; again with another one if the database asks for a retry. */
  async use<T>(action: (session: SqlSession, remainingMs: () => number) => Promise<T>, timeoutMs = this.#timeoutMs): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    const remainingMs = () => Math.max(1, deadline - performance.now());
    for (let failures = 0; ; failures++) {
      try {
        return await this.#useOnce(action, remainingMs);
      } catch (error) {
        if (error instanceof Unavailable || isStoreError(error)) throw error;
        const failure = this.#dialect.failureOf(error);
        const isTransient = failure === 'lost' || failure === 'retry' || failure === 'read-only';
        const delay = backoff(failures);
        if (this.#closed || !isTransient || remainingMs() <= delay) throw unavailable(this.#dialect, error);
        await pause(delay);
      }
    }
  }

  /** Closes all connections, those in use when they are released. Later reads open new ones. */
  renew(): void {
    for (const session of this.#busy) this.#retired.add(session);
    for (const session of this.#idle.splice(0)) {
      this.#open--;
      void session.close();
    }
  }

  /** Closes idle connections, and breaks off those in use. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting) this.#settle(waiting).reject(closed());
    await Promise.all(this.#idle.splice(0).map((session) => session.close()));
    for (const session of this.#busy) session.destroy();
  }

  async #useOnce<T>(
    action: (session: SqlSession, remainingMs: () => number) => Promise<T>,
    remainingMs: () => number,
  ): Promise<T> {
    const session = await this.#acquire(remainingMs());
    this.#busy.add(session);
    try {
      return await action(session, remainingMs);
    } catch (error) {
      // It may be in the middle of a transaction.
      if (!isStoreError(error)) session.destroy();
      throw error;
    } finally {
      this.#busy.delete(session);
      this.#release(session);
    }
  }

  #acquire(timeoutMs: number): SqlSession | Promise<SqlSession> {
    if (this.#closed) throw closed();
    for (let session = this.#idle.pop(); session; session = this.#idle.pop()) {
      if (!session.broken) return session;
      this.#open--;
    }
    if (this.#open < this.#size) return this.#connect(timeoutMs);
    if (this.#waiting.size >= MAX_WAITING) throw new Unavailable('too many reads are waiting for the database');
    return new Promise((resolve, reject) => {
      const expire = () => {
        this.#waiting.delete(waiting);
        reject(new Unavailable('timed out waiting for a connection to the database'));
      };
      const waiting: Waiting = { resolve, reject, deadline: setTimeout(expire, timeoutMs) };
      this.#waiting.add(waiting);
    });
  }

  async #connect(timeoutMs: number): Promise<SqlSession> {
    this.#open++;
    try {
      return await this.#dialect.connect(timeoutMs);
    } catch (error) {
      this.#open--;
      this.#admitNext();
      throw error;
    }
  }

  #release(session: SqlSession): void {
    const [next] = this.#waiting;
    if (session.broken) {
      this.#open--;
      this.#admitNext();
    } else if (this.#retired.has(session)) {
      this.#open--;
      void session.close();
      this.#admitNext();
    } else if (this.#closed || (!next && this.#idle.length >= MAX_IDLE)) {
      this.#open--;
      void session.close();
    } else if (next) this.#settle(next).resolve(session);
    else this.#idle.push(session);
  }

  /** A place became free: the next waiting read gets a new connection. */
  #admitNext(): void {
    const [next] = this.#waiting;
    if (!next || this.#closed) return;
    this.#connect(this.#timeoutMs).then(this.#settle(next).resolve, next.reject);
  }

  #settle(waiting: Waiting): Waiting {
    clearTimeout(waiting.deadline);
    this.#waiting.delete(waiting);
    return waiting;
  }
}

/** Errors of the contract, as opposed to those of the database. */
function isStoreError(error: unknown): boolean {
  return error instanceof Error && (error.name === 'Compacted' || error.name === 'FutureRevision');
}

export function closed(): Unavailable {
  return new Unavailable('the store is closed', { unwritten: true });
}

export function unavailable(dialect: SqlDialect, cause: unknown, unwritten = false): Unavailable {
  if (cause instanceof Unavailable) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Unavailable(`${dialect.name}: ${reason}`, { cause, unwritten });
}
