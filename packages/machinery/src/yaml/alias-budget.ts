import { YamlSyntaxError } from './syntax-error.ts';

/** Up to so many nodes, nearly all may come from aliases; beyond the second number, one in ten. */
const small = 400_000;
const large = 4_000_000;

/** Keeps a short text with aliases to aliases from becoming a huge value. */
export class AliasBudget {
  #nodes = 0;
  #aliased = 0;
  #depth = 0;

  enterAlias(): void {
    this.#depth++;
  }

  leaveAlias(): void {
    this.#depth--;
  }

  /** Counts a node. Fails with YamlSyntaxError if too many of them come from aliases. */
  spend(): void {
    this.#nodes++;
    if (this.#depth > 0) this.#aliased++;
    if (this.#aliased <= 100 || this.#nodes <= 1_000) return;
    if (this.#aliased / this.#nodes > this.#allowedRatio())
      throw new YamlSyntaxError('yaml: document contains excessive aliasing');
  }

  #allowedRatio(): number {
    if (this.#nodes <= small) return 0.99;
    return this.#nodes >= large ? 0.1 : 0.99 - (0.89 * (this.#nodes - small)) / (large - small);
  }
}
