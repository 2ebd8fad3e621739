import { Readable } from 'node:stream';
import { type AdmitBytes, BodyBuffer, BodyTooLarge, ClientGone, NoRoomForBody } from '../http/body.ts';

const admitAll: AdmitBytes = () => true;

/** The body of a request as it arrives. Until the handler reads it, flow control holds back what exceeds the stream's window. */
export class Http2RequestBody {
  readonly #declared: number | undefined;
  readonly #onConsumed: (bytes: number) => void;
  readonly #received = new BodyBuffer();
  #length = 0;
  /** Bytes that arrived before the handler reads the body, and have not been credited to the window. */
  #uncredited = 0;
  #limit = -1;
  #admit: AdmitBytes = admitAll;
  #isComplete = false;
  #isDiscarded = false;
  #stream: Readable | undefined;
  #resolve: ((body: Buffer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  /** `onConsumed` credits bytes to the receive windows. */
  constructor(declared: number | undefined, onConsumed: (bytes: number) => void) {
    this.#declared = declared;
    this.#onConsumed = onConsumed;
  }

  /** Bytes that have arrived. */
  get length(): number {
    return this.#length;
  }

  /** Whether no byte has arrived. */
  get isUntouched(): boolean {
    return this.#length === 0 && !this.#isComplete;
  }

  /** `flowBytes` is the chunk with its padding. False if the body exceeds the declared length. */
  add(chunk: Buffer, flowBytes: number): boolean {
    this.#length += chunk.length;
    if (this.#declared !== undefined && this.#length > this.#declared) return false;
    if (this.#isDiscarded) this.#onConsumed(flowBytes);
    else if (this.#stream) this.#push(this.#stream, chunk, flowBytes);
    else if (this.#limit >= 0 && this.#length > this.#limit) this.#rejectWith(flowBytes, new BodyTooLarge(this.#limit));
    else if (this.#limit >= 0 && !this.#admit(chunk.length)) this.#rejectWith(flowBytes, new NoRoomForBody());
    else this.#store(chunk, flowBytes);
    return true;
  }

  /** False if the body is shorter than the declared length. */
  end(): boolean {
    if (this.#declared !== undefined && this.#length !== this.#declared) return false;
    this.#isComplete = true;
    if (this.#stream) this.#stream.push(null);
    else this.#resolve?.(this.#joined());
    return true;
  }

  read(limit: number, admit: AdmitBytes = admitAll): Promise<Buffer> {
    if ((this.#declared ?? this.#length) > limit) {
      this.discard();
      return Promise.reject(new BodyTooLarge(limit));
    }
    if (this.#isDiscarded && !this.#isComplete) return Promise.reject(new ClientGone());
    if (!admit(this.#length)) {
      this.discard();
      return Promise.reject(new NoRoomForBody());
    }
    if (this.#isComplete) return Promise.resolve(this.#joined());
    this.#limit = limit;
    this.#admit = admit;
    this.#credit();
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The body as it arrives; the client may send more as it is read. */
  stream(): Readable {
    const stream = new Readable({ read: () => this.#credit() });
    if (this.#isDiscarded) return stream.destroy(new ClientGone());
    this.#stream = stream;
    if (this.#received.length > 0) stream.push(this.#received.takeAll());
    if (this.#isComplete) stream.push(null);
    return stream;
  }

  #push(stream: Readable, chunk: Buffer, flowBytes: number): void {
    this.#uncredited += flowBytes;
    if (chunk.length === 0 || stream.push(chunk)) this.#credit();
  }

  /** Drops the body, including what still arrives. */
  discard(): void {
    this.#isDiscarded = true;
    this.#stream = undefined;
    this.#received.clear();
    this.#credit();
  }

  /** The rest of the body will not arrive. */
  abort(): void {
    if (this.#isComplete) return void this.#credit();
    this.#stream?.destroy(new ClientGone());
    this.discard();
    this.#reject?.(new ClientGone());
  }

  #rejectWith(flowBytes: number, error: Error): void {
    this.#uncredited += flowBytes;
    this.discard();
    this.#reject?.(error);
  }

  #store(chunk: Buffer, flowBytes: number): void {
    this.#received.add(chunk, 0, chunk.length);
    if (this.#limit >= 0) this.#onConsumed(flowBytes);
    else this.#uncredited += flowBytes;
  }

  #credit(): void {
    if (this.#uncredited > 0) this.#onConsumed(this.#uncredited);
    this.#uncredited = 0;
  }

  #joined(): Buffer {
    this.#credit();
    return this.#received.takeAll();
  }
}
