const pieceBytes = 64 * 1024;

/**
 * A body that writes itself into the transport's write buffer. Lists do: in buffers of their own they would be copied once more,
 * and the garbage would keep V8 collecting.
 */
export abstract class DirectBody implements Iterable<Uint8Array> {
  /** Writes the next bytes and returns how many; fewer than `room` at the end of the body. */
  abstract writeTo(target: Buffer, at: number, room: number): number;

  /** The rest will not be written. */
  cancel(): void {}

  /** The same bytes in buffers of their own, for filters that inspect or keep them. */
  *[Symbol.iterator](): Generator<Buffer> {
    try {
      for (let length = pieceBytes; length === pieceBytes; ) {
        const piece = Buffer.allocUnsafe(pieceBytes);
        length = this.writeTo(piece, 0, pieceBytes);
        if (length > 0) yield piece.subarray(0, length);
      }
    } finally {
      this.cancel();
    }
  }
}

/** Calls back once with the number of bytes written: at the end of the body, or when it is cancelled. */
export class CountedDirectBody extends DirectBody {
  readonly #body: DirectBody;
  #onEnd: ((bytes: number) => void) | undefined;
  #bytes = 0;

  constructor(body: DirectBody, onEnd: (bytes: number) => void) {
    super();
    this.#body = body;
    this.#onEnd = onEnd;
  }

  override writeTo(target: Buffer, at: number, room: number): number {
    const length = this.#body.writeTo(target, at, room);
    this.#bytes += length;
    if (length < room) this.#report();
    return length;
  }

  override cancel(): void {
    this.#body.cancel();
    this.#report();
  }

  #report(): void {
    this.#onEnd?.(this.#bytes);
    this.#onEnd = undefined;
  }
}
