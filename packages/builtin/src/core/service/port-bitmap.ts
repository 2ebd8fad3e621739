/** Which ports of a range are taken, as Kubernetes writes it down: one large number, its bit 0 for the first port. */
export class PortBitmap {
  readonly first: number;
  readonly last: number;
  readonly #taken = new Set<number>();

  constructor(first: number, last: number, bytes: Uint8Array = new Uint8Array()) {
    this.first = first;
    this.last = last;
    for (const [i, byte] of bytes.entries()) this.#read(byte, (bytes.length - 1 - i) * 8);
  }

  #read(byte: number, offset: number): void {
    for (let bit = 0; bit < 8; bit++) {
      if (byte & (1 << bit) && this.first + offset + bit <= this.last) this.#taken.add(this.first + offset + bit);
    }
  }

  has(port: number): boolean {
    return this.#taken.has(port);
  }

  add(port: number): void {
    this.#taken.add(port);
  }

  delete(port: number): void {
    this.#taken.delete(port);
  }

  ports(): number[] {
    return [...this.#taken];
  }

  /** The number from its highest byte that is not zero to its lowest. */
  bytes(): Buffer {
    const highest = Math.max(-1, ...[...this.#taken].map((port) => port - this.first));
    const bytes = Buffer.alloc(Math.floor(highest / 8) + 1);
    for (const port of this.#taken) {
      const bit = port - this.first;
      const at = bytes.length - 1 - Math.floor(bit / 8);
      bytes[at] = (bytes[at] as number) | (1 << (bit % 8));
    }
    return bytes;
  }
}
