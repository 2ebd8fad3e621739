/** A bounded queue, round-robin between the owners of its items. */
export class FairQueue<T> {
  readonly #lines = new Map<string, T[]>();
  readonly #capacity: number;
  #size = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  /** False if the queue is full. */
  push(owner: string, item: T): boolean {
    if (this.#size >= this.#capacity) return false;
    this.#size++;
    const line = this.#lines.get(owner);
    if (line) line.push(item);
    else this.#lines.set(owner, [item]);
    return true;
  }

  /** The oldest item of the next owner. */
  shift(): T | undefined {
    const [next] = this.#lines;
    if (!next) return undefined;
    const [owner, line] = next;
    this.#size--;
    const item = line.shift();
    // Move the owner behind the others.
    this.#lines.delete(owner);
    if (line.length > 0) this.#lines.set(owner, line);
    return item;
  }

  /** Returns whether the item was queued. */
  remove(owner: string, item: T): boolean {
    const line = this.#lines.get(owner);
    const at = line?.indexOf(item) ?? -1;
    if (!line || at < 0) return false;
    line.splice(at, 1);
    this.#size--;
    if (line.length === 0) this.#lines.delete(owner);
    return true;
  }
}
