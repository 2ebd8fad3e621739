import type { Duplex } from 'node:stream';
import type { Entry, Store } from '../store.ts';
import { FrameChannel } from './frames.ts';
import { decodeWrite, encodeError, encodeNotice, encodeReply, MessageType, noticeRevision, replyNumber } from './messages.ts';

/** A process that does not answer in time is taken for dead. */
const DROP_TIMEOUT_MS = 10_000;

/** The writing process: makes the writes of processes that read the same database, and tells them of every commit. */
export class WriterHost {
  readonly #readers = new Set<ReaderConnection>();
  #store: Store | undefined;

  /** Passed to `openLmdb` as `shared`. */
  async beforeCompaction(revision: number): Promise<void> {
    await Promise.all([...this.#readers].map((reader) => reader.drop(revision)));
  }

  /** Call with the store before any process connects. */
  host(store: Store): void {
    this.#store = store;
    store.tap?.(({ revision }) => {
      for (const reader of this.#readers) reader.committed(revision);
    });
  }

  /** Serves a reading process until the connection ends. `onStuck` is called if it does not answer. */
  serve(connection: Duplex, onStuck: () => void): void {
    const reader = new ReaderConnection(this.#store as Store, connection, onStuck, () => this.#readers.delete(reader));
    this.#readers.add(reader);
  }
}

interface Running {
  isCancelled: boolean;
}

/** The connection to one reading process. */
class ReaderConnection {
  readonly #store: Store;
  readonly #channel: FrameChannel;
  readonly #onStuck: () => void;
  readonly #running = new Map<number, Running>();
  readonly #drops = new Map<number, () => void>();
  /** The newest commit that the process has not been told of; 0 for none. */
  #committed = 0;

  constructor(store: Store, connection: Duplex, onStuck: () => void, onEnd: () => void) {
    this.#store = store;
    this.#onStuck = onStuck;
    const end = () => {
      onEnd();
      this.#end();
    };
    this.#channel = new FrameChannel(
      connection,
      (frame) => this.#receive(frame),
      end,
      () => this.#notify(),
    );
  }

  committed(revision: number): void {
    this.#committed = revision;
    this.#channel.schedule();
  }

  /** Commits are coalesced while the process does not read. */
  #notify(): void {
    if (this.#committed === 0) return;
    if (this.#channel.isCongested) {
      this.#channel.scheduleAfterDrain();
      return;
    }
    const revision = this.#committed;
    this.#committed = 0;
    this.#channel.send(encodeNotice(MessageType.committed, revision));
  }

  /** Resolves when the process has dropped what a compaction removes, or has ended. */
  drop(revision: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#onStuck();
        done();
      }, DROP_TIMEOUT_MS);
      const done = () => {
        clearTimeout(timer);
        this.#drops.delete(revision);
        resolve();
      };
      this.#drops.get(revision)?.();
      this.#drops.set(revision, done);
      this.#channel.send(encodeNotice(MessageType.compacting, revision));
    });
  }

  /** The clients of the process are gone: writes that have not begun are not made. */
  #end(): void {
    for (const running of this.#running.values()) running.isCancelled = true;
    for (const done of [...this.#drops.values()]) done();
  }

  #receive(frame: Buffer): void {
    const type = frame.readUInt8();
    if (type === MessageType.write) this.#write(frame);
    else if (type === MessageType.cancel) this.#cancel(frame.readUInt32LE(1));
    else if (type === MessageType.ping) this.#answer(frame.readUInt32LE(1), this.#store.ping());
    else if (type === MessageType.compact) this.#answer(frame.readUInt32LE(1), this.#store.compact(replyNumber(frame, 0)));
    else if (type === MessageType.dropped) this.#drops.get(noticeRevision(frame))?.();
  }

  #cancel(id: number): void {
    const running = this.#running.get(id);
    if (running) running.isCancelled = true;
  }

  #write(frame: Buffer): void {
    const id = frame.readUInt32LE(1);
    const { operation, key, value, expected, ttlSeconds } = decodeWrite(frame);
    const running = { isCancelled: false };
    const options = { ttlSeconds: ttlSeconds || undefined, isCancelled: () => running.isCancelled };
    this.#running.set(id, running);
    const store = this.#store;
    if (operation === 'create') this.#answer(id, store.create(key, value, options));
    else if (operation === 'update') this.#answer(id, store.update(key, value, expected, options));
    else this.#answer(id, store.delete(key, expected, options));
  }

  #answer(id: number, result: Promise<unknown>): void {
    result
      .then(
        (made) => this.#channel.send(doneMessage(id, made)),
        (error: unknown) => this.#channel.send(...encodeError(id, error)),
      )
      .finally(() => this.#running.delete(id));
  }
}

/** The result of a write: an entry, or the revision of a delete; nothing for other calls. */
function doneMessage(id: number, made: unknown): Buffer {
  const { done } = MessageType;
  if (typeof made === 'number') return encodeReply(done, id, made, 0);
  const { revision = 0, created = 0 } = (made ?? {}) as Partial<Entry>;
  return encodeReply(done, id, revision, created);
}
