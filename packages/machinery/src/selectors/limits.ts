/** Requirements of one selector in a query. Selectors of real clients have a handful. */
export const maxTerms = 1_000;

/** Values of all sets (`in`, `notin`) of one selector in a query. Watches keep them for as long as they last. */
export const maxValues = 10_000;

export function tooManyTerms(): Error {
  return new Error(`selector too long: at most ${maxTerms} requirements and ${maxValues} values are allowed`);
}

/** Counts what a selector asks for while it is parsed. */
export class SelectorSize {
  #terms = 0;
  #values = 0;

  /** Fails with an Error beyond the limits. */
  add(values: number): void {
    this.#values += values;
    if (++this.#terms > maxTerms || this.#values > maxValues) throw tooManyTerms();
  }
}
