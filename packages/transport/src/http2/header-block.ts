import { ConnectionError, errorCode } from './protocol.ts';

/** Compressed; what it becomes is bounded elsewhere. */
const maxBlockBytes = (1 << 20) + (64 << 10);
/** More than a block of that size needs: who sends less in each wants to keep somebody busy. */
const maxPieces = 128;

/** A header that comes in more than one frame. Nothing else may come in between. */
export class HeaderBlock {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly isSelfDependent: boolean;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(stream: number, isEnd: boolean, isSelfDependent: boolean) {
    this.stream = stream;
    this.isEnd = isEnd;
    this.isSelfDependent = isSelfDependent;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > maxBlockBytes || this.#pieces.push(piece) > maxPieces)
      throw new ConnectionError(errorCode.enhanceYourCalm, 'the header does not end');
  }

  joined(): Buffer {
    return Buffer.concat(this.#pieces, this.#bytes);
  }
}
