import { type AdmitBytes, BodyBuffer, BodyTooLarge, ClientGone, NoRoomForBody } from '../http/body.ts';

const admitAll: AdmitBytes = () => true;

/** The body of a request as it comes in. What nobody has asked for yet waits here, and the client with the rest. */
export class Http2RequestBody {
  readonly #declared: number | undefined;
  readonly #onTaken: (bytes: number) => void;
  readonly #received = new BodyBuffer();
  #length = 0;
  /** Bytes that arrived before anybody asked: the client is told that they are taken when somebody does. */
  #untold = 0;
  #limit = -1;
  #admit: AdmitBytes = admitAll;
  #isWhole = false;
  #isGone = false;
  #resolve: ((body: Buffer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  /** `onTaken` is told of bytes for which the client may send others. */
  constructor(declared: number | undefined, onTaken: (bytes: number) => void) {
    this.#declared = declared;
    this.#onTaken = onTaken;
  }

  /** So many bytes have come. */
  get length(): number {
    return this.#length;
  }

  /** Whether nothing of it is here. */
  get isUntouched(): boolean {
    return this.#length === 0 && !this.#isWhole;
  }

  /** `flowBytes` is what the client counts for it. Gives whether the body is still what the client said that it would be. */
  add(chunk: Buffer, flowBytes: number): boolean {
    this.#length += chunk.length;
    if (this.#declared !== undefined && this.#length > this.#declared) return false;
    if (this.#isGone) this.#onTaken(flowBytes);
    else if (this.#limit >= 0 && this.#length > this.#limit) this.#refuse(flowBytes, new BodyTooLarge(this.#limit));
    else if (this.#limit >= 0 && !this.#admit(chunk.length)) this.#refuse(flowBytes, new NoRoomForBody());
    else this.#keep(chunk, flowBytes);
    return true;
  }

  /** Gives whether it is as long as the client said that it would be. */
  end(): boolean {
    if (this.#declared !== undefined && this.#length !== this.#declared) return false;
    this.#isWhole = true;
    this.#resolve?.(this.#joined());
    return true;
  }

  read(limit: number, admit: AdmitBytes = admitAll): Promise<Buffer> {
    if ((this.#declared ?? this.#length) > limit) {
      this.discard();
      return Promise.reject(new BodyTooLarge(limit));
    }
    if (this.#isGone && !this.#isWhole) return Promise.reject(new ClientGone());
    if (!admit(this.#length)) {
      this.discard();
      return Promise.reject(new NoRoomForBody());
    }
    if (this.#isWhole) return Promise.resolve(this.#joined());
    this.#limit = limit;
    this.#admit = admit;
    this.#tell();
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** What is here, and what may still come, is not wanted. */
  discard(): void {
    this.#isGone = true;
    this.#received.clear();
    this.#tell();
  }

  /** It will not come to its end. */
  breakOff(): void {
    if (this.#isWhole) return void this.#tell();
    this.discard();
    this.#reject?.(new ClientGone());
  }

  #refuse(flowBytes: number, error: Error): void {
    this.#untold += flowBytes;
    this.discard();
    this.#reject?.(error);
  }

  #keep(chunk: Buffer, flowBytes: number): void {
    this.#received.add(chunk, 0, chunk.length);
    if (this.#limit >= 0) this.#onTaken(flowBytes);
    else this.#untold += flowBytes;
  }

  #tell(): void {
    if (this.#untold > 0) this.#onTaken(this.#untold);
    this.#untold = 0;
  }

  #joined(): Buffer {
    this.#tell();
    return this.#received.takeAll();
  }
}
