import type { Duplex } from 'node:stream';
import { Cancelled, Unavailable } from '../store.ts';
import { FrameChannel } from './frames.ts';
import {
  decodeError,
  encodeNotice,
  encodeReply,
  encodeWrite,
  MessageType,
  noticeRevision,
  replyNumber,
  type WriteRequest,
} from './messages.ts';

const MAX_WRITES = 32_768;
const MAX_BYTES = 128 * 2 ** 20;
const MAX_ID = 2 ** 32;
const PING_TIMEOUT_MS = 10_000;

export interface Written {
  readonly revision: number;
  readonly created: number;
}

/** Calls of the connection to the writing process. */
export interface WriterEvents {
  /**
   * Commits up to the revision can be read. `acknowledged` are the values of own writes, by their revision; they are answered
   * when it returns or resolves.
   */
  onCommitted(revision: number, acknowledged: ReadonlyMap<number, Uint8Array>): Promise<void> | undefined;
  /** The revision is compacted when this returns or resolves. */
  onCompacting(revision: number): Promise<void> | undefined;
  onLost(error: Error): void;
}

interface Sent {
  readonly bytes: number;
  readonly value?: Uint8Array;
  readonly isCancelled?: (() => boolean) | undefined;
  /** Whether the writing process has been told. */
  isCancelSent: boolean;
  /** Called when the outcome is known. */
  readonly waiters: (() => void)[];
  resolve(written: Written): void;
  reject(error: Error): void;
}

/** Sends writes to the writing process. Those of one turn of the event loop share one message, and usually one commit. */
export class RemoteWrites {
  readonly #events: WriterEvents;
  readonly #channel: FrameChannel;
  readonly #sent = new Map<number, Sent>();
  #waiting: { readonly id: number; readonly request: WriteRequest }[] = [];
  /** Answers received in this turn of the event loop. */
  #answers: (() => void)[] = [];
  #acknowledged = new Map<number, Uint8Array>();
  #committed = 0;
  #bytes = 0;
  #lastId = 0;
  #lost: Unavailable | undefined;

  constructor(connection: Duplex, events: WriterEvents) {
    this.#events = events;
    this.#channel = new FrameChannel(
      connection,
      (frame) => this.#receive(frame),
      (error) => this.#onEnd(error),
      () => this.#encodeWaiting(),
    );
  }

  /** Resolves when the write is durable and `onCommitted` has been called with its revision or a later one. */
  write(request: WriteRequest, isCancelled: (() => boolean) | undefined): Promise<Written> {
    const bytes = request.value.length + request.key.length;
    if (this.#sent.size >= MAX_WRITES || this.#bytes + bytes > MAX_BYTES)
      return Promise.reject(new Unavailable('too many writes are waiting', { unwritten: true }));
    return this.#call({ bytes, value: request.value, isCancelled }, (id) => {
      this.#waiting.push({ id, request });
      this.#channel.schedule();
    });
  }

  async ping(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Unavailable(`the writing process has not answered for ${PING_TIMEOUT_MS / 1000} seconds`);
      timer = setTimeout(() => reject(error), PING_TIMEOUT_MS);
    });
    const answer = this.#call({ bytes: 0 }, (id) => this.#channel.send(encodeReply(MessageType.ping, id)));
    await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  async compact(revision: number): Promise<void> {
    await this.#call({ bytes: 0 }, (id) => this.#channel.send(encodeReply(MessageType.compact, id, revision)));
  }

  /** Cancels the writes whose clients are gone. Settles with them; undefined if there are none. */
  cancelledUnderWay(): Promise<void> | undefined {
    const settled: Promise<void>[] = [];
    for (const [id, sent] of this.#sent) {
      if (!sent.isCancelled?.()) continue;
      if (!sent.isCancelSent && !this.#waiting.some((waiting) => waiting.id === id))
        this.#channel.send(encodeReply(MessageType.cancel, id));
      sent.isCancelSent = true;
      settled.push(settlement(sent));
    }
    return settled.length === 0 ? undefined : Promise.all(settled).then(() => {});
  }

  /** Rejects new writes and waits for those in flight. */
  async close(): Promise<void> {
    this.#lost ??= new Unavailable('the store is closed', { unwritten: true });
    await Promise.all([...this.#sent.values()].map(settlement));
    this.#channel.close();
  }

  #call(call: Pick<Sent, 'bytes' | 'value' | 'isCancelled'>, send: (id: number) => void): Promise<Written> {
    if (this.#lost) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      this.#lastId = (this.#lastId + 1) % MAX_ID;
      const id = this.#lastId;
      this.#sent.set(id, { ...call, isCancelSent: false, waiters: [], resolve, reject });
      this.#bytes += call.bytes;
      send(id);
    });
  }

  /** Writes cancelled in the turn in which they were submitted are not sent. */
  #encodeWaiting(): void {
    for (const { id, request } of this.#waiting.splice(0)) {
      if (this.#sent.get(id)?.isCancelled?.()) fail(this.#take(id), new Cancelled());
      else this.#channel.send(...encodeWrite(id, request));
    }
  }

  #receive(frame: Buffer): void {
    const type = frame.readUInt8();
    if (type === MessageType.committed) this.#reached(noticeRevision(frame), () => {});
    else if (type === MessageType.done) this.#onDone(frame);
    else if (type === MessageType.failed) this.#onFailed(frame);
    else if (type === MessageType.compacting) this.#onCompacting(noticeRevision(frame));
  }

  #onDone(frame: Buffer): void {
    const [revision, created] = [replyNumber(frame, 0), replyNumber(frame, 1)];
    const sent = this.#take(frame.readUInt32LE(1));
    if (sent?.value) this.#acknowledged.set(revision, sent.value);
    this.#reached(revision, () => succeed(sent, { revision, created }));
  }

  #onFailed(frame: Buffer): void {
    const sent = this.#take(frame.readUInt32LE(1));
    const error = decodeError(frame);
    this.#reached(0, () => fail(sent, error));
  }

  #onCompacting(revision: number): void {
    const answer = () => this.#channel.send(encodeNotice(MessageType.dropped, revision));
    this.#settle();
    const waiting = this.#events.onCompacting(revision);
    if (waiting) void waiting.then(answer);
    else answer();
  }

  /** Answers of one chunk are settled together, after one look at the database. */
  #reached(revision: number, settle: () => void): void {
    if (this.#answers.length === 0) process.nextTick(() => this.#settle());
    this.#committed = Math.max(this.#committed, revision);
    this.#answers.push(settle);
  }

  #settle(): void {
    const answers = this.#answers.splice(0);
    if (answers.length === 0) return;
    const acknowledged = this.#acknowledged;
    this.#acknowledged = new Map();
    const settleAll = () => {
      for (const settle of answers) settle();
    };
    const waiting = this.#events.onCommitted(this.#committed, acknowledged);
    if (waiting) void waiting.finally(settleAll);
    else settleAll();
  }

  #take(id: number): Sent | undefined {
    const sent = this.#sent.get(id);
    this.#sent.delete(id);
    this.#bytes -= sent?.bytes ?? 0;
    return sent;
  }

  #onEnd(cause: Error | undefined): void {
    const isFirst = this.#lost === undefined;
    this.#lost ??= new Unavailable('the writing process has ended', { cause });
    this.#settle();
    const error = new Unavailable('the writing process has ended', { cause });
    for (const id of [...this.#sent.keys()]) fail(this.#take(id), error);
    if (isFirst) this.#events.onLost(this.#lost);
  }
}

function succeed(sent: Sent | undefined, written: Written): void {
  sent?.resolve(written);
  for (const wake of sent?.waiters ?? []) wake();
}

function fail(sent: Sent | undefined, error: Error): void {
  sent?.reject(error);
  for (const wake of sent?.waiters ?? []) wake();
}

function settlement(sent: Sent): Promise<void> {
  return new Promise((resolve) => sent.waiters.push(resolve));
}
