import { Readable } from 'node:stream';
import { type AdmitBytes, BodyBuffer, BodyTooLarge, ClientGone, NoRoomForBody } from '../http/body.ts';
import { ChunkDecoder } from './chunk-decoder.ts';
import { badRequest } from './http-error.ts';
import type { Framing } from './request-reader.ts';

/** Unread bodies up to this size are discarded to keep the connection. */
const maxDiscardedBytes = 64 << 20;
const empty = Buffer.alloc(0);

const admitAll: AdmitBytes = () => true;

interface Reader {
  readonly limit: number;
  readonly admit: AdmitBytes;
  resolve(body: Buffer): void;
  reject(error: Error): void;
}

/** The body of one request as it arrives: held until the handler reads it, discarded if the handler does not. */
export class Http1RequestBody {
  isComplete = false;
  readonly #chunks: ChunkDecoder | undefined;
  readonly #declared: number;
  #left: number;
  readonly #received = new BodyBuffer();
  #discarded = 0;
  #reader: Reader | undefined;
  #stream: Readable | undefined;
  #use: 'held' | 'read' | 'streamed' | 'discarded' | 'gone' = 'held';

  constructor(framing: Framing) {
    this.#chunks = framing === 'chunked' ? new ChunkDecoder() : undefined;
    this.#declared = this.#chunks ? 0 : (framing as number);
    this.#left = this.#declared;
  }

  /** Bytes that have arrived before the handler reads the body, or its stream is read. */
  get heldBytes(): number {
    if (this.#stream) return this.#stream.readableLength;
    return this.#use === 'held' ? this.#received.length : 0;
  }

  /** Whether the handler waits for the rest. */
  get isAwaited(): boolean {
    return this.#reader !== undefined;
  }

  /** Returns the position after the part that belongs to the body. Throws HttpError. */
  feed(bytes: Buffer, from: number): number {
    const end = this.#chunks ? this.#chunks.feed(bytes, from, this.#take) : this.#feedPlain(bytes, from);
    if (this.#chunks ? this.#chunks.isDone : this.#left === 0) this.#complete();
    return end;
  }

  #feedPlain(bytes: Buffer, from: number): number {
    const end = Math.min(bytes.length, from + this.#left);
    this.#left -= end - from;
    this.#take(bytes, from, end);
    return end;
  }

  #take = (bytes: Buffer, start: number, end: number): void => {
    if (this.#use === 'discarded') {
      this.#discarded += end - start;
      if (this.#discarded > maxDiscardedBytes) throw badRequest();
      return;
    }
    if (this.#stream) return void this.#stream.push(bytes.subarray(start, end));
    this.#received.add(bytes, start, end);
    if (this.#reader) this.#check(this.#reader, end - start);
  };

  #check({ limit, admit }: Reader, bytes: number): void {
    if (this.#received.length > limit) this.#rejectWith(new BodyTooLarge(limit));
    else if (!admit(bytes)) this.#rejectWith(new NoRoomForBody());
  }

  /** The whole body. Rejects with BodyTooLarge, NoRoomForBody, or ClientGone if the client does not send all of it. */
  read(limit: number, admit: AdmitBytes = admitAll): Promise<Buffer> {
    if (this.#use === 'gone') return Promise.reject(new ClientGone());
    if (this.#use !== 'held') return Promise.resolve(empty);
    if (this.#declared > limit || this.#received.length > limit) return Promise.reject(new BodyTooLarge(limit));
    if (!admit(this.#received.length)) return Promise.reject(new NoRoomForBody());
    this.#use = 'read';
    if (this.isComplete) return Promise.resolve(this.#received.takeAll());
    return new Promise((resolve, reject) => {
      this.#reader = { limit, admit, resolve, reject };
    });
  }

  /** The body as it arrives. `onRead` is called when more of it is wanted. */
  stream(onRead: () => void): Readable {
    // Node calls `read` before the bytes leave the stream's buffer.
    const stream = new Readable({ read: () => process.nextTick(onRead) });
    if (this.#use !== 'held') return stream.destroy(new ClientGone());
    this.#use = 'streamed';
    this.#stream = stream;
    if (this.#received.length > 0) stream.push(this.#received.takeAll());
    if (this.isComplete) stream.push(null);
    return stream;
  }

  /** Drops the body, including what still arrives. */
  discard(): void {
    if (this.#use === 'gone') return;
    this.#use = 'discarded';
    this.#stream = undefined;
    this.#received.clear();
  }

  /** The client will not send the rest. */
  fail(): void {
    if (this.isComplete) return;
    this.#use = 'gone';
    this.#received.clear();
    this.#stream?.destroy(new ClientGone());
    this.#reader?.reject(new ClientGone());
    this.#reader = undefined;
  }

  #rejectWith(error: Error): void {
    const reader = this.#reader;
    this.#reader = undefined;
    this.discard();
    reader?.reject(error);
  }

  #complete(): void {
    this.isComplete = true;
    this.#stream?.push(null);
    this.#reader?.resolve(this.#received.takeAll());
    this.#reader = undefined;
  }
}
