import { StatusError } from '../../errors/status-error.ts';

/** Limit of visits of a schema node with a value. A body of 3 MiB has at most 1.5 million values. */
const maxVisits = 5_000_000;

/** Characters of a string that cost as much as one visit. */
const charactersPerVisit = 32;

/** Limit of the JSON characters that defaults add to one object: twice the largest body. */
const maxDefaultCharacters = 6 * 1024 * 1024;

/** Limit of validation on the event loop. Beyond it the validation throws and is repeated in a worker thread. */
export interface Effort {
  readonly visits: number;
  /** Cost of all rules in CEL cost units. */
  readonly ruleCost: number;
  exceeded(): Error;
}

/** Bounds the validation of one object: with combinations every value can be validated against every schema node. */
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

  /** Counts a visit that reads a whole string, as patterns and formats do. */
  read(text: string): void {
    this.visit(text.length / charactersPerVisit);
  }
}

function tooManySteps(): StatusError {
  return StatusError.requestEntityTooLarge('the schema takes too many steps to validate the object');
}

/** Bounds the defaults of one object: each `{}` in a list can expand to a large default. */
export class DefaultsBudget {
  #left = maxDefaultCharacters;

  add(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0)
      throw StatusError.requestEntityTooLarge(`defaults add more than ${maxDefaultCharacters} bytes to the object`);
  }
}
