import { badRequest, HttpError } from './http-error.ts';
import { parseFieldLine } from './request-reader.ts';

const lineFeed = 10;
const maxLineLength = 4096;
const maxTrailerBytes = 64 * 1024;
/** Limit of the framing overhead beyond twice the data: tiny chunks with long extensions are an attack. */
const maxExcess = 16 * 1024;
const sizeLine = /^([0-9a-fA-F]{1,12})(?:[ \t]*;[\t -~\u0080-\u00ff]*)?$/;
const fieldText = /^[\t -~\u0080-\u00ff]*$/;

/** Takes data as `bytes` from `start` to `end`: a view of each tiny chunk would cost more than the chunk. */
export type TakeData = (bytes: Buffer, start: number, end: number) => void;

/** Decodes chunked transfer coding; the input may be split anywhere. */
export class ChunkDecoder {
  #awaits: 'size' | 'data' | 'end of data' | 'trailer' | 'nothing' = 'size';
  /** The incomplete line. */
  #line = '';
  #left = 0;
  #excess = 0;
  #trailerBytes = 0;

  get isDone(): boolean {
    return this.#awaits === 'nothing';
  }

  /** Returns the position after the part that belongs to the body. Throws HttpError. */
  feed(bytes: Buffer, from: number, take: TakeData): number {
    let at = from;
    while (at < bytes.length && this.#awaits !== 'nothing') {
      at = this.#awaits === 'data' ? this.#readData(bytes, at, take) : this.#readLine(bytes, at);
    }
    return at;
  }

  #readData(bytes: Buffer, from: number, take: TakeData): number {
    const end = Math.min(bytes.length, from + this.#left);
    take(bytes, from, end);
    this.#left -= end - from;
    if (this.#left === 0) this.#awaits = 'end of data';
    return end;
  }

  #readLine(bytes: Buffer, from: number): number {
    const found = bytes.indexOf(lineFeed, from);
    const end = found < 0 ? bytes.length : found + 1;
    if (this.#line.length + end - from > maxLineLength) throw badRequest();
    this.#line += bytes.toString('latin1', from, end);
    if (found >= 0) {
      const line = this.#line;
      this.#line = '';
      if (!line.endsWith('\r\n')) throw badRequest();
      this.#onLine(line.slice(0, -2));
    }
    return end;
  }

  #onLine(line: string): void {
    if (this.#awaits === 'size') this.#onSize(line);
    else if (this.#awaits === 'trailer') this.#onTrailer(line);
    else if (line === '') this.#awaits = 'size';
    else throw badRequest();
  }

  #onSize(line: string): void {
    const [, size] = sizeLine.exec(line) ?? [];
    if (size === undefined) throw badRequest();
    this.#left = Number.parseInt(size, 16);
    this.#excess = Math.max(0, this.#excess + line.length - 16 - 2 * this.#left);
    if (this.#excess > maxExcess) throw badRequest();
    this.#awaits = this.#left === 0 ? 'trailer' : 'data';
  }

  /** No trailer is used here: they are checked and dropped. */
  #onTrailer(line: string): void {
    if (line === '') {
      this.#awaits = 'nothing';
      return;
    }
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > maxTrailerBytes) throw new HttpError(431);
    if (!fieldText.test(line)) throw badRequest();
    parseFieldLine(line, 0, line.length);
  }
}
