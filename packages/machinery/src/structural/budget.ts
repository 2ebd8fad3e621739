import { StatusError } from '../errors/status-error.ts';

/** Visits of a schema node with a value. A body of 3 MiB has at most 1.5 million values. */
const maxVisits = 5_000_000;

/** Characters of a string that cost as much as one visit. */
const charactersPerVisit = 32;

/** Characters of JSON that defaults may add to one object: twice the largest body. */
const maxDefaultCharacters = 6 * 1024 * 1024;

/** Bounds the validation of one object: with anyOf, oneOf, allOf and not, every value can meet every node of the schema. */
export class ValidationBudget {
  #left = maxVisits;

  visit(count = 1): void {
    this.#left -= count;
    if (this.#left < 0) throw StatusError.requestEntityTooLarge('the schema takes too many steps to validate the object');
  }

  /** A visit that reads a whole string, as patterns and formats do. */
  read(text: string): void {
    this.visit(text.length / charactersPerVisit);
  }
}

/** Bounds the defaults of one object: a list of `{}` can ask for a large default with every three bytes. */
export class DefaultsBudget {
  #left = maxDefaultCharacters;

  add(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0)
      throw StatusError.requestEntityTooLarge(`defaults add more than ${maxDefaultCharacters} bytes to the object`);
  }
}
