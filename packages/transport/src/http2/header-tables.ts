import type { Field } from './field.ts';
import { defaultHeaderTableBytes } from './protocol.ts';

/** The fields that the peer has sent lately, the newest first, never more than a number of bytes. */
export class DynamicTable {
  /** A ring: the newest field is just before `#next`. */
  #ring: (Field | undefined)[] = new Array(initialPlaces);
  #next = 0;
  #count = 0;
  #bytes = 0;
  #limit = defaultHeaderTableBytes;
  /** Changes with every change of what an index means. */
  generation = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The field that came `age` fields before the newest. */
  at(age: number): Field | undefined {
    return age < this.#count ? this.#ring[(this.#next - 1 - age) & (this.#ring.length - 1)] : undefined;
  }

  add(field: Field): void {
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
      this.#bytes -= (this.#ring[oldest] as Field).size;
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
const initialPlaces = 16;
