import type { Change, Entry } from '../store.ts';
import type { Tables } from './environment.ts';
import { encodeDue, HEAD_BYTES, keyOfRecord, RECORD_BYTES, type State, writeHead, writeRecord } from './file/records.ts';

/** A write request that is decided when its group commits. */
export interface Attempt {
  readonly isCancelled?: (() => boolean) | undefined;
  /** Repeats the request against the writes accepted by then. */
  resubmit(): Promise<Entry>;
  reject(error: Error): void;
}

/** An accepted write that waits for its commit. */
export interface Write extends Attempt {
  readonly change: Change;
  /** Expiry of the key in milliseconds since 1970; 0 for none. */
  readonly expires: number;
  /** Expiry of the entry that this write replaces; 0 for none. */
  readonly replacedExpires: number;
  readonly group: CommitGroup;
  resolve(entry: Entry): void;
}

/** A step of compaction, committed together with writes. */
export interface MaintenanceTask {
  /** Must not throw. */
  apply(tables: Tables): void;
  /** Returns the state after the task. */
  after(state: State): State;
  resolve(): void;
  reject(error: Error): void;
}

/** A request that failed because of an uncommitted write in this group. It is rejected once that write is committed. */
export interface Refusal extends Attempt {
  because(): Error;
  resolve(entry: Entry): void;
}

const MAX_WRITES = 512;
const MAX_BYTES = 4 * 2 ** 20;

/** The writes and tasks of one transaction. */
export class CommitGroup {
  readonly writes: Write[] = [];
  readonly tasks: MaintenanceTask[] = [];
  readonly refusals: Refusal[] = [];
  bytes = 0;

  get full(): boolean {
    return this.writes.length >= MAX_WRITES || this.bytes >= MAX_BYTES;
  }

  get hasCancelled(): boolean {
    return this.writes.some(({ isCancelled }) => isCancelled?.());
  }

  add(write: Write): void {
    const { type, entry } = write.change;
    this.writes.push(write);
    this.bytes += RECORD_BYTES + Buffer.byteLength(entry.key);
    if (type === 'put') this.bytes += entry.value.length + HEAD_BYTES;
  }

  stateAfter(state: State): State {
    const revision = this.writes.at(-1)?.change.entry.revision ?? state.revision;
    return this.tasks.reduce((reached, task) => task.after(reached), { ...state, revision });
  }

  /** Encodes the group and returns the function that writes it to the tables. That function does not throw. */
  encode(tables: Tables): () => void {
    const memory = Buffer.allocUnsafeSlow(this.bytes);
    let end = 0;
    const encoded = this.writes.map((write) => {
      const { change, expires } = write;
      const recordAt = end;
      const headAt = writeRecord(memory, recordAt, change.type, change.entry, change.previous?.revision ?? 0);
      end = change.type === 'put' ? writeHead(memory, headAt, change.entry, expires, keyOfRecord(memory, recordAt)) : headAt;
      return { write, record: memory.subarray(recordAt, headAt), head: memory.subarray(headAt, end) };
    });
    return () => {
      for (const { write, record, head } of encoded) put(tables, write, record, head);
      for (const task of this.tasks) task.apply(tables);
    };
  }

  resolve(): void {
    for (const write of this.writes) write.resolve(write.change.entry);
    for (const task of this.tasks) task.resolve();
    for (const refusal of this.refusals) refusal.reject(refusal.because());
  }

  reject(error: Error): void {
    for (const waiting of [...this.writes, ...this.tasks, ...this.refusals]) waiting.reject(error);
  }
}

function put({ current, log, expiry }: Tables, write: Write, record: Buffer, head: Buffer): void {
  const { change, expires, replacedExpires } = write;
  const { key, revision } = change.entry;
  log.put(revision, record);
  if (change.type === 'put') current.put(key, head);
  else current.remove(key);
  if (replacedExpires) expiry.remove([replacedExpires, change.previous?.revision ?? 0]);
  if (expires) expiry.put([expires, revision], encodeDue(key, expires, revision));
}
