import { type HeaderField, headerField, internedName } from './header-field.ts';
import { defaultHeaderTableBytes } from './protocol.ts';

/** HPACK's dynamic table: the latest indexed fields, the newest first, limited in bytes. */
export class DynamicTable {
  /** Ring buffer: the newest field is just before `#next`. */
  #ring: (HeaderField | undefined)[] = new Array(initialCapacity);
  #next = 0;
  #count = 0;
  #bytes = 0;
  #limit = defaultHeaderTableBytes;
  /** Changes whenever the meaning of an index changes. */
  generation = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The field `age` places behind the newest. */
  at(age: number): HeaderField | undefined {
    return age < this.#count ? this.#ring[(this.#next - 1 - age) & (this.#ring.length - 1)] : undefined;
  }

  add(field: HeaderField): void {
    this.generation++;
    this.#evict(this.#limit - field.size);
    if (field.size > this.#limit) return;
    if (this.#count === this.#ring.length) this.#grow();
    this.#ring[this.#next] = field;
    this.#next = (this.#next + 1) & (this.#ring.length - 1);
    this.#count++;
    this.#bytes += field.size;
  }

  resize(limit: number): void {
    this.generation++;
    this.#limit = limit;
    this.#evict(limit);
  }

  #evict(limit: number): void {
    while (this.#bytes > limit && this.#count > 0) {
      const oldest = (this.#next - this.#count) & (this.#ring.length - 1);
      this.#bytes -= (this.#ring[oldest] as HeaderField).size;
      this.#ring[oldest] = undefined;
      this.#count--;
    }
  }

  #grow(): void {
    const fields = Array.from({ length: this.#count }, (_, i) => this.at(this.#count - 1 - i));
    this.#next = this.#count;
    this.#ring = [...fields, ...new Array(fields.length)];
  }
}

/** A power of two. */
const initialCapacity = 16;

/** RFC 7541, appendix A, in its order. */
const entries: readonly (readonly [name: string, value?: string])[] = [
  [':authority'],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset'],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language'],
  ['accept-ranges'],
  ['accept'],
  ['access-control-allow-origin'],
  ['age'],
  ['allow'],
  ['authorization'],
  ['cache-control'],
  ['content-disposition'],
  ['content-encoding'],
  ['content-language'],
  ['content-length'],
  ['content-location'],
  ['content-range'],
  ['content-type'],
  ['cookie'],
  ['date'],
  ['etag'],
  ['expect'],
  ['expires'],
  ['from'],
  ['host'],
  ['if-match'],
  ['if-modified-since'],
  ['if-none-match'],
  ['if-range'],
  ['if-unmodified-since'],
  ['last-modified'],
  ['link'],
  ['location'],
  ['max-forwards'],
  ['proxy-authenticate'],
  ['proxy-authorization'],
  ['range'],
  ['referer'],
  ['refresh'],
  ['retry-after'],
  ['server'],
  ['set-cookie'],
  ['strict-transport-security'],
  ['transfer-encoding'],
  ['user-agent'],
  ['vary'],
  ['via'],
  ['www-authenticate'],
];

/** Indexed from zero; on the wire from one. */
export const staticTable: readonly HeaderField[] = entries.map(([name, value = '']) =>
  headerField(internedName(name), value, true),
);

/** Index on the wire of the first entry with this name. */
export const staticNames: ReadonlyMap<string, number> = new Map(entries.map(([name], i) => [name, i + 1] as const).reverse());

/** Index on the wire of the `:status` entry with this value. */
export const staticStatuses: ReadonlyMap<number, number> = new Map(
  entries.flatMap(([name, value], i) => (name === ':status' ? [[Number(value), i + 1] as const] : [])),
);
