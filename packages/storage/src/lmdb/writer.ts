import { Cancelled, type Entry, NoSpace, Unavailable } from '../store.ts';
import { type Attempt, CommitGroup, type MaintenanceTask, type Refusal, type Write } from './commit-group.ts';
import { commitFailure, DiskSpace } from './disk-space.ts';
import { Fenced, type Tables, transact } from './environment.ts';
import type { State } from './file/records.ts';

const MAX_WAITING_GROUPS = 64;
const STUCK_MS = 10_000;

/** A write before it is assigned to a group. */
export type WriteDraft = Pick<Write, 'change' | 'expires' | 'replacedExpires' | 'isCancelled' | 'resubmit'>;

/** Called with the writes of a commit before they are acknowledged. */
type Publish = (writes: readonly Write[]) => void;

/**
 * Group commit: one transaction and one sync for all writes that arrive while the previous commit is in flight. As the only
 * writer of the database, it checks writes against the committed state plus the queued writes.
 */
export class LmdbWriter {
  readonly #tables: Tables;
  readonly #publish: Publish;
  readonly #beforeCommit: () => void;
  readonly #space: DiskSpace;
  /** Queued groups in commit order; new writes go to the last one. */
  #waiting: CommitGroup[] = [];
  /** The newest queued write of each key. */
  readonly #pending = new Map<string, Write>();
  #transaction: number;
  #state: State;
  #newest: number;
  #commitSince: number | undefined;
  #committing: { readonly group: CommitGroup; readonly done: Promise<void> } | undefined;
  #isRegrouping = false;
  #scheduled = false;
  #failing = false;
  #closedBy: Unavailable | undefined;
  #idle: (() => void) | undefined;
  #exclusive: (() => void)[] = [];

  /** `beforeCommit` throws if the database must not be written to. */
  constructor(tables: Tables, state: State, transaction: number, publish: Publish, beforeCommit = nothing) {
    this.#tables = tables;
    this.#publish = publish;
    this.#beforeCommit = beforeCommit;
    this.#space = new DiskSpace(tables.path);
    this.#state = state;
    this.#newest = state.revision;
    this.#transaction = transaction;
  }

  /** The committed state. */
  get state(): State {
    return this.#state;
  }

  /** The revision of the next write. */
  get nextRevision(): number {
    return this.#newest + 1;
  }

  pending(key: string): Write | undefined {
    return this.#pending.get(key);
  }

  /** Queues a change with revision `nextRevision`. Resolves when it is synced. */
  write(draft: WriteDraft): Promise<Entry> {
    if (draft.change.type === 'put' && this.#space.isShort) return Promise.reject(new NoSpace());
    const group = this.#gather();
    if (group instanceof Unavailable) return Promise.reject(group);
    const { change, expires, replacedExpires, isCancelled, resubmit } = draft;
    return new Promise((resolve, reject) => {
      const write = { change, expires, replacedExpires, isCancelled, resubmit, group, resolve, reject };
      this.#newest = change.entry.revision;
      this.#pending.set(change.entry.key, write);
      group.add(write);
    });
  }

  /** Rejects with an error that depends on a queued write, once that write is committed; at once if there is none. */
  refuse(
    write: Write | undefined,
    because: () => Error,
    { isCancelled, resubmit }: Pick<Attempt, 'isCancelled' | 'resubmit'>,
  ): Promise<Entry> {
    if (!write) return Promise.reject(because());
    return new Promise((resolve, reject) => {
      write.group.refusals.push({ because, isCancelled, resubmit, resolve, reject });
    });
  }

  /** Settles with the transaction in flight if it contains writes that were cancelled after it began. */
  cancelledUnderWay(): Promise<void> | undefined {
    return this.#committing?.group.hasCancelled ? this.#committing.done : undefined;
  }

  /** Settles with the transaction in flight; undefined if there is none. */
  committed(): Promise<void> | undefined {
    return this.#committing?.done;
  }

  runTask(apply: MaintenanceTask['apply'], after: MaintenanceTask['after']): Promise<void> {
    const group = this.#gather();
    if (group instanceof Unavailable) return Promise.reject(group);
    return new Promise((resolve, reject) => {
      group.tasks.push({ apply, after, resolve, reject });
    });
  }

  /** Runs an action while no transaction is in flight. If it throws, the writer accepts no more writes. */
  runExclusive(action: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#exclusive.push(() => {
        if (!this.#closedBy) this.#try(action);
        if (this.#closedBy) reject(this.#closedBy);
        else resolve();
      });
      this.#schedule();
    });
  }

  #try(action: () => void): void {
    try {
      action();
    } catch (cause) {
      this.#closedBy = new Unavailable('the database is closed', { cause, unwritten: true });
    }
  }

  async ping(): Promise<void> {
    if (this.#closedBy) throw this.#closedBy;
    const stuck = this.#commitSince !== undefined && performance.now() - this.#commitSince > STUCK_MS;
    if (stuck) throw new Unavailable(`a commit has not finished for ${STUCK_MS / 1000} seconds`);
    if (this.#failing) await this.runTask(nothing, unchanged);
  }

  /** Rejects new writes and waits for the accepted ones. */
  async close(): Promise<void> {
    this.#closedBy ??= new Unavailable('the store is closed', { unwritten: true });
    if (this.#commitSince === undefined && this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  #gather(): CommitGroup | Unavailable {
    if (this.#closedBy && !this.#isRegrouping) return this.#closedBy;
    const last = this.#waiting.at(-1);
    if (last && !last.full) return last;
    if (this.#waiting.length >= MAX_WAITING_GROUPS) return new Unavailable('too many writes are waiting', { unwritten: true });
    const group = new CommitGroup();
    this.#waiting.push(group);
    this.#schedule();
    return group;
  }

  /** Commits at the end of the current turn of the event loop, so that its writes share a commit. */
  #schedule(): void {
    if (this.#scheduled || this.#commitSince !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      for (const run of this.#exclusive.splice(0)) run();
      void this.#commit();
    });
  }

  async #commit(): Promise<void> {
    this.#commitSince = performance.now();
    if (this.#waiting[0]?.hasCancelled) this.#regroup();
    const group = this.#waiting.shift();
    if (group) {
      this.#committing = { group, done: this.#commitGroup(group) };
      await this.#committing.done;
      this.#committing = undefined;
    }
    this.#commitSince = undefined;
    if (this.#waiting.length + this.#exclusive.length > 0) this.#schedule();
    if (this.#waiting.length === 0) this.#idle?.();
  }

  async #commitGroup(group: CommitGroup): Promise<void> {
    const state = group.stateAfter(this.#state);
    const failure = await this.#transact(group, state);
    if (failure) this.#failed(group, failure);
    else this.#committed(group, state);
  }

  /**
   * Drops writes cancelled before their transaction. Queued writes were numbered and checked on top of them, so they are
   * submitted again.
   */
  #regroup(): void {
    const groups = this.#waiting.splice(0);
    this.#newest = this.#state.revision;
    this.#pending.clear();
    this.#isRegrouping = true;
    for (const { tasks } of groups) if (tasks.length > 0) (this.#gather() as CommitGroup).tasks.push(...tasks);
    for (const { writes, refusals } of groups) for (const attempt of [...writes, ...refusals]) resubmit(attempt);
    this.#isRegrouping = false;
  }

  async #transact(group: CommitGroup, state: State): Promise<Unavailable | undefined> {
    try {
      this.#beforeCommit();
      if (!this.#space.hasRoomFor(group.bytes)) return new NoSpace();
      await transact(this.#tables, this.#transaction, state, group.encode(this.#tables));
      return undefined;
    } catch (error) {
      return commitFailure(await causeOf(error), this.#tables.path);
    }
  }

  #committed(group: CommitGroup, state: State): void {
    this.#state = state;
    this.#transaction++;
    this.#failing = false;
    for (const write of group.writes) {
      const { key } = write.change.entry;
      if (this.#pending.get(key) === write) this.#pending.delete(key);
    }
    this.#publish(group.writes);
    group.resolve();
  }

  /** Rejects all queued writes too: they were numbered and checked on top of the failed ones. */
  #failed(group: CommitGroup, failure: Unavailable): void {
    if (failure.cause instanceof Fenced) this.#closedBy = failure;
    this.#failing = true;
    this.#newest = this.#state.revision;
    this.#pending.clear();
    for (const lost of [group, ...this.#waiting.splice(0)]) lost.reject(failure);
  }
}

function resubmit(attempt: Write | Refusal): void {
  if (attempt.isCancelled?.()) attempt.reject(new Cancelled());
  else attempt.resubmit().then(attempt.resolve, attempt.reject);
}

/** lmdb-js reports the error of a transaction separately from that of its writes. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { readonly commitError?: Promise<never> };
  return commitError ? commitError.catch((cause: unknown) => cause) : error;
}

function nothing(): void {}

function unchanged(state: State): State {
  return state;
}
