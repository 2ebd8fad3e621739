import type { Change, Entry } from '../store.ts';
import type { Tables } from './environment.ts';
import { encodeDue, HEAD_BYTES, keyOfRecord, RECORD_BYTES, type State, writeHead, writeRecord } from './file/records.ts';

/** Something that was asked of the store and is decided when its group commits. */
export interface Attempt {
  readonly isCancelled?: (() => boolean) | undefined;
  /** Decides anew, on top of what is accepted by then. */
  resubmit(): Promise<Entry>;
  reject(error: Error): void;
}

/** A write that was accepted and waits for its commit. */
export interface Write extends Attempt {
  readonly change: Change;
  /** When the key removes itself; 0 for never. */
  readonly expires: number;
  /** When the entry that this write replaces would have removed itself; 0 for never. */
  readonly replacedExpires: number;
  readonly group: CommitGroup;
  resolve(entry: Entry): void;
}

/** Something other than a change of a key: compaction and its sweeping. */
export interface MaintenanceTask {
  /** Must not throw. */
  apply(tables: Tables): void;
  /** The state that follows from this chore. */
  after(state: State): State;
  resolve(): void;
  reject(error: Error): void;
}

/** An attempt that failed because of a write in this group, and may be told so only if that write comes true. */
export interface Refusal extends Attempt {
  because(): Error;
  resolve(entry: Entry): void;
}

const MAX_WRITES = 512;
const MAX_BYTES = 4 * 2 ** 20;

/** What goes to the disk in one transaction. */
export class CommitGroup {
  readonly writes: Write[] = [];
  readonly chores: MaintenanceTask[] = [];
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
    return this.chores.reduce((reached, chore) => chore.after(reached), { ...state, revision });
  }

  /** Gives the function that puts this group into the tables; all that could throw has happened by then. */
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
      for (const chore of this.chores) chore.apply(tables);
    };
  }

  resolve(): void {
    for (const write of this.writes) write.resolve(write.change.entry);
    for (const chore of this.chores) chore.resolve();
    for (const refusal of this.refusals) refusal.reject(refusal.because());
  }

  reject(error: Error): void {
    for (const waiting of [...this.writes, ...this.chores, ...this.refusals]) waiting.reject(error);
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
