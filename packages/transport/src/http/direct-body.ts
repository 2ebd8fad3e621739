const pieceBytes = 64 * 1024;

/**
 * A body that is written straight into the memory from which the transport sends. Lists are: made in memory of their own they
 * would be copied once more, and the garbage would make V8 collect all the time.
 */
export abstract class DirectBody implements Iterable<Uint8Array> {
  /** Writes the next bytes. Gives how many; fewer than `room` if nothing follows. */
  abstract writeTo(target: Buffer, at: number, room: number): number;

  /** Nobody will ask for the rest. */
  cancel(): void {}

  /** The same in pieces of their own, for whoever looks at them or keeps them. */
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

/** Calls back once with the number of bytes: when the last of them are written, or nobody wants more. */
export class CountedDirectBody extends DirectBody {
  readonly #body: DirectBody;
  #whenOver: ((bytes: number) => void) | undefined;
  #bytes = 0;

  constructor(body: DirectBody, whenOver: (bytes: number) => void) {
    super();
    this.#body = body;
    this.#whenOver = whenOver;
  }

  override writeTo(target: Buffer, at: number, room: number): number {
    const length = this.#body.writeTo(target, at, room);
    this.#bytes += length;
    if (length < room) this.#tell();
    return length;
  }

  override cancel(): void {
    this.#body.cancel();
    this.#tell();
  }

  #tell(): void {
    this.#whenOver?.(this.#bytes);
    this.#whenOver = undefined;
  }
}
