import { type JsonObject, type JsonValue, parseJson, stringifyJsonPretty, stringifyYaml } from '@tsukube/machinery';
import { DirectBody } from '@tsukube/transport';
import type { Output } from '../../http/negotiation.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';

export interface ListWriter {
  readonly head: Buffer;
  readonly tail: Buffer;
  /** Every item is written with a leading comma. The first comma overwrites the head's last byte, a bracket, which is restored. */
  readonly separated: boolean;
  /** The size of an item with its comma. */
  size(entry: CacheEntry): number;
  /** Writes an item with its comma and returns the position behind it. Called in the order of `size`. */
  write(entry: CacheEntry, out: Buffer, at: number): number;
}

/** A list up to this size is one buffer; the first piece of a larger one has this size. */
const firstPieceBytes = 64 * 1024;
const bracket = 0x5b;
const noBytes = Buffer.alloc(0);

/** The first piece of a list, and the whole body if there is more. */
export interface EncodedList {
  readonly first: Buffer;
  readonly whole: ListBody | undefined;
}

/** Encodes a list by concatenating cached bytes. */
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

/** A list whose remaining items are written as the client reads. */
export class ListBody extends DirectBody {
  readonly #writer: ListWriter;
  readonly #entries: readonly CacheEntry[];
  #next: number;
  /** Bytes that did not fit into the target, and the position of the rest. */
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

  /** Continues with the tail after the last item. */
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

/** The text around the items of a list, and the encoding of an item. */
interface TextForm {
  readonly before: string;
  readonly after: string;
  readonly separator: string;
  item(value: JsonValue): string;
}

/** Text is encoded in pieces, between which other requests are served. */
const pieceLength = 64 * 1024;

/** A list as YAML or indented JSON, encoded in pieces as the client reads. */
export function* listText(writer: ListWriter, entries: readonly CacheEntry[], output: Output): Generator<Buffer> {
  const frame = parseJson(Buffer.concat([writer.head, writer.tail])).value as JsonObject;
  const form = output.mediaType === 'application/yaml' ? yamlForm(frame) : prettyForm(frame);
  let text = form.before;
  for (const [i, entry] of entries.entries()) {
    text += (i === 0 ? '' : form.separator) + form.item(itemOf(writer, entry));
    if (text.length < pieceLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + form.after);
}

function itemOf(writer: ListWriter, entry: CacheEntry): JsonValue {
  const out = Buffer.allocUnsafe(writer.size(entry));
  const end = writer.write(entry, out, 0);
  return parseJson(out.subarray(writer.separated ? 1 : 0, end)).value;
}

const isListKey = (key: string) => key === 'items' || key === 'rows';

/** Keys are sorted; some follow the items. */
function yamlForm(frame: JsonObject): TextForm {
  const keys = Object.keys(frame).sort();
  const at = keys.findIndex(isListKey);
  const part = (some: readonly string[]) => some.map((key) => stringifyYaml({ [key]: frame[key] as JsonValue })).join('');
  return {
    before: `${part(keys.slice(0, at))}${keys[at]}:\n`,
    after: part(keys.slice(at + 1)),
    separator: '',
    item: (value) => stringifyYaml([value]),
  };
}

/** The items come last. */
function prettyForm(frame: JsonObject): TextForm {
  const around = stringifyJsonPretty(frame);
  const at = around.lastIndexOf('[]');
  const indent = '    ';
  return {
    before: `${around.slice(0, at)}[\n`,
    after: `\n  ]${around.slice(at + '[]'.length)}`,
    separator: ',\n',
    item: (value) => indent + stringifyJsonPretty(value, indent),
  };
}
