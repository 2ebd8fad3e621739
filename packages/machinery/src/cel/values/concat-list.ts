import { CelList, type CelValue } from './value.ts';

/** Two lists, one after the other. What is read often is copied once. */
export class ConcatList extends CelList {
  readonly size: number;
  #parts: readonly [CelList, CelList] | undefined;
  #items: CelValue[] = [];

  constructor(first: CelList, second: CelList) {
    super();
    this.size = first.size + second.size;
    this.#parts = [first, second];
  }

  at(index: number): CelValue {
    if (this.#parts !== undefined) this.#flatten();
    return this.#items[index] as CelValue;
  }

  /** Without recursion: lists may have been added to each other many times. */
  #flatten(): void {
    const waiting: CelList[] = [this];
    for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
      const parts = list instanceof ConcatList ? list.#parts : undefined;
      if (parts !== undefined) waiting.push(parts[1], parts[0]);
      else for (let i = 0; i < list.size; i++) this.#items.push(list.at(i));
    }
    this.#parts = undefined;
  }
}
