import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { META_PAGES, type Meta, readMeta } from './layout.ts';

const SMALLEST_PAGE = 4096;
const READ_AHEAD_PAGES = 32;

/** Reads a database file page by page without mapping it: a damaged file causes an error, never a signal. */
export class PageFile {
  readonly size: number;
  readonly #descriptor: number;
  pageSize = 8192;
  #memory: Buffer = Buffer.alloc(0);
  /** The part of the buffer that holds pages. */
  #ahead: Buffer = Buffer.alloc(0);
  #aheadFrom = 0;
  #last = -1;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r');
    this.size = fstatSync(this.#descriptor).size;
  }

  /** Both meta pages; a problem text for one that is invalid. */
  metas(): (Meta | string)[] {
    const first = readMeta(this.#read(0, SMALLEST_PAGE), 0);
    if (typeof first !== 'string') this.pageSize = first.pageSize;
    const second = readMeta(this.#read(this.pageSize, SMALLEST_PAGE), META_PAGES - 1);
    return [first, second];
  }

  /** The buffer is valid until the next call. Undefined beyond the end of the file. Sequential reads are read ahead. */
  page(number: number): Buffer | undefined {
    const { pageSize } = this;
    const at = (number - this.#aheadFrom) * pageSize;
    if (at < 0 || at + pageSize > this.#ahead.length) this.#fill(number);
    this.#last = number;
    const from = (number - this.#aheadFrom) * pageSize;
    return from + pageSize > this.#ahead.length ? undefined : this.#ahead.subarray(from, from + pageSize);
  }

  /** Reads bytes from the start of a page; fewer at the end of the file. */
  bytes(page: number, length: number): Buffer {
    return this.#read(page * this.pageSize, length);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #fill(number: number): void {
    const { pageSize } = this;
    if (this.#memory.length === 0) this.#memory = Buffer.allocUnsafeSlow(READ_AHEAD_PAGES * pageSize);
    const pages = number === this.#last + 1 ? READ_AHEAD_PAGES : 1;
    this.#ahead = this.#read(number * pageSize, pages * pageSize, this.#memory);
    this.#aheadFrom = number;
  }

  #read(at: number, length: number, into?: Buffer): Buffer {
    const rest = Math.max(0, Math.min(length, this.size - at));
    const buffer = into?.subarray(0, rest) ?? Buffer.allocUnsafe(rest);
    let read = 0;
    while (read < buffer.length) {
      const count = readSync(this.#descriptor, buffer, read, buffer.length - read, at + read);
      if (count === 0) break;
      read += count;
    }
    return buffer.subarray(0, read);
  }
}
