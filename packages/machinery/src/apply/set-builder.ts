import type { FieldSet, MutableFieldSet } from './field-set.ts';
import { type PathElement, self } from './path-element.ts';

/** Builds a set along a walk: what is below a path is inserted before the path itself. Each step takes the same time. */
export class SetBuilder {
  readonly #path: PathElement[] = [];
  /** The part of the set for each step of the path, as far as there is one. */
  readonly #parts: MutableFieldSet[] = [{}];

  get set(): FieldSet {
    return this.#parts[0] as MutableFieldSet;
  }

  enter(element: PathElement): void {
    this.#path.push(element);
  }

  leave(): void {
    this.#path.pop();
    if (this.#parts.length > this.#path.length + 1) this.#parts.length = this.#path.length + 1;
  }

  /** Inserts the path that the walk is at. */
  insert(): void {
    if (this.#parts.length > this.#path.length) {
      (this.#parts[this.#path.length] as MutableFieldSet)[self] = {};
      return;
    }
    for (let depth = this.#parts.length; depth <= this.#path.length; depth++) {
      const part: MutableFieldSet = {};
      (this.#parts[depth - 1] as MutableFieldSet)[this.#path[depth - 1] as PathElement] = part;
      this.#parts.push(part);
    }
  }
}
