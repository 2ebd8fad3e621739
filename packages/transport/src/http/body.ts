/** The body is longer than the limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
  readonly limit: number;
  constructor(limit: number) {
    super(`Request entity too large: limit is ${limit}`);
    this.limit = limit;
  }
}

/** Request memory is used up for now. */
export class NoRoomForBody extends Error {
  override readonly name = 'NoRoomForBody';
  constructor() {
    super('there is no room for the body');
  }
}

/** Reserves memory for bytes of a body as they arrive. False if there is none: the rest of the body is not read. */
export type AdmitBytes = (bytes: number) => boolean;

/** The client disconnected before its request was complete. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  constructor() {
    super('the client closed the connection');
  }
}

const firstPageBytes = 4096;
const maxPageBytes = 256 * 1024;

/**
 * Collects a body that arrives in chunks of any size. A chunk that fills most of its ArrayBuffer is kept; smaller ones are copied
 * into pages that grow with the body, so that memory stays proportional to the bytes even if they arrive one at a time.
 */
export class BodyBuffer {
  length = 0;
  #parts: Buffer[] = [];
  #page: Buffer | undefined;
  #used = 0;

  /** Adds `bytes` from `start` to `end`. The caller must not modify them afterwards. */
  add(bytes: Buffer, start: number, end: number): void {
    const size = end - start;
    if (size === 0) return;
    if (this.length === 0 || (!this.#page && isDense(bytes, size))) this.#parts.push(bytes.subarray(start, end));
    else this.#copy(bytes, start, end);
    this.length += size;
  }

  clear(): void {
    this.length = 0;
    this.#parts = [];
    this.#page = undefined;
    this.#used = 0;
  }

  /** Returns the whole body and empties the buffer. */
  takeAll(): Buffer {
    this.#closePage();
    const parts = this.#parts;
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, this.length);
    this.clear();
    return whole;
  }

  #copy(bytes: Buffer, start: number, end: number): void {
    for (let at = start; at < end; ) {
      const page = this.#pageWithRoom();
      const count = Math.min(end - at, page.length - this.#used);
      bytes.copy(page, this.#used, at, at + count);
      this.#used += count;
      at += count;
      if (this.#used === page.length) this.#closePage();
    }
  }

  #pageWithRoom(): Buffer {
    this.#page ??= Buffer.allocUnsafeSlow(Math.min(maxPageBytes, Math.max(firstPageBytes, this.length)));
    return this.#page;
  }

  #closePage(): void {
    if (this.#page) this.#parts.push(this.#page.subarray(0, this.#used));
    this.#page = undefined;
    this.#used = 0;
  }
}

/** Whether a view of the bytes retains at most twice their memory. */
function isDense(bytes: Buffer, size: number): boolean {
  return size >= firstPageBytes && 2 * size >= bytes.buffer.byteLength;
}
