import { StatusError } from '../../errors/status-error.ts';

/** Visits of a schema node with a value. A body of 3 MiB has at most 1.5 million values. */
const maxVisits = 5_000_000;

/** Characters of a string that cost as much as one visit. */
const charactersPerVisit = 32;

/** Characters of JSON that defaults may add to one object: twice the largest body. */
const maxDefaultCharacters = 6 * 1024 * 1024;

/** How much of a validation is done on the event loop. Beyond it the validation ends with the error, to be done elsewhere. */
export interface Effort {
  readonly visits: number;
  /** Cost of all rules, in CEL's units. */
  readonly ruleCost: number;
  exceeded(): Error;
}

/** Bounds the validation of one object: with anyOf, oneOf, allOf and not, every value can meet every node of the schema. */
export class ValidationBudget {
  readonly #effort: Effort | undefined;
  #left: number;

  constructor(effort?: Effort) {
    this.#effort = effort;
    this.#left = effort?.visits ?? maxVisits;
  }

  visit(count = 1): void {
    this.#left -= count;
    if (this.#left < 0) throw this.#effort?.exceeded() ?? tooManySteps();
  }

  /** A visit that reads a whole string, as patterns and formats do. */
  read(text: string): void {
    this.visit(text.length / charactersPerVisit);
  }
}

function tooManySteps(): StatusError {
  return StatusError.requestEntityTooLarge('the schema takes too many steps to validate the object');
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
