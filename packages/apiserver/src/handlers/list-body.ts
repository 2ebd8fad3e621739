import { DirectBody } from '../http/direct-body.ts';
import type { CacheEntry } from '../watchcache/entry.ts';

export interface ListWriter {
  readonly head: Buffer;
  readonly tail: Buffer;
  /** Whether every item is written with a comma before it. The first comma takes the place of the head's last byte, a bracket. */
  readonly separated: boolean;
  /** The number of bytes an item takes, with its comma. */
  size(entry: CacheEntry): number;
  /** Writes an item with its leading comma and gives the position behind it. Items are written in the order they were measured in. */
  write(entry: CacheEntry, out: Buffer, at: number): number;
}

/** A list up to this size is one piece. Of a larger one this is the first. */
const firstPieceBytes = 64 * 1024;
const bracket = 0x5b;
const noBytes = Buffer.alloc(0);

/** The first piece of a list, and the rest of it unless that is all. */
export interface EncodedList {
  readonly first: Buffer;
  readonly whole: ListBody | undefined;
}

/** A list is the concatenation of bytes that are there already. */
export function encodeList(writer: ListWriter, entries: readonly CacheEntry[]): EncodedList {
  let size = writer.head.length;
  let count = 0;
  while (count < entries.length && size < firstPieceBytes) size += writer.size(entries[count++] as CacheEntry);
  const isAll = count === entries.length;
  const first = encodeFirst(writer, entries, count, isAll ? size + writer.tail.length : size, isAll);
  return { first, whole: isAll ? undefined : new ListBody(writer, first, entries, count) };
}

function encodeFirst(writer: ListWriter, entries: readonly CacheEntry[], count: number, size: number, isAll: boolean): Buffer {
  const { head, tail, separated } = writer;
  const out = Buffer.allocUnsafe(size);
  let at = head.copy(out);
  if (separated && count > 0) at--;
  for (let i = 0; i < count; i++) at = writer.write(entries[i] as CacheEntry, out, at);
  if (separated) out[head.length - 1] = bracket;
  if (isAll) at += tail.copy(out, at);
  return at === out.length ? out : out.subarray(0, at);
}

/** A list whose first piece is made; the other items are written as the client takes them. */
export class ListBody extends DirectBody {
  readonly #writer: ListWriter;
  readonly #entries: readonly CacheEntry[];
  #next: number;
  /** Bytes that did not fit into the room there was, and where they continue. */
  #carry: Buffer;
  #carryAt = 0;
  #isTailDue = true;

  constructor(writer: ListWriter, first: Buffer, entries: readonly CacheEntry[], next: number) {
    super();
    this.#writer = writer;
    this.#carry = first;
    this.#entries = entries;
    this.#next = next;
  }

  override writeTo(target: Buffer, at: number, room: number): number {
    const end = at + room;
    let to = at;
    while (to < end && this.#hasMore())
      to = this.#carry.length > 0 ? this.#putCarry(target, to, end) : this.#putItem(target, to, end);
    return to - at;
  }

  /** Takes up the tail behind the last item. */
  #hasMore(): boolean {
    if (this.#carry.length > 0 || this.#next < this.#entries.length) return true;
    if (!this.#isTailDue) return false;
    this.#isTailDue = false;
    this.#carry = this.#writer.tail;
    return this.#carry.length > 0;
  }

  #putCarry(target: Buffer, at: number, end: number): number {
    const length = this.#carry.copy(target, at, this.#carryAt, Math.min(this.#carry.length, this.#carryAt + end - at));
    this.#carryAt += length;
    if (this.#carryAt === this.#carry.length) {
      this.#carry = noBytes;
      this.#carryAt = 0;
    }
    return at + length;
  }

  #putItem(target: Buffer, at: number, end: number): number {
    const entry = this.#entries[this.#next++] as CacheEntry;
    const size = this.#writer.size(entry);
    if (size <= end - at) return this.#writer.write(entry, target, at);
    const item = Buffer.allocUnsafe(size);
    this.#carry = item.subarray(0, this.#writer.write(entry, item, 0));
    return at;
  }
}
