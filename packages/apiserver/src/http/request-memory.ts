import type { AdmitBytes } from './body.ts';
import type { Exchange } from './request.ts';

/** Bodies up to this size are not counted: the number of requests in flight bounds them. */
const uncountedBytes = 16 * 1024;

/** The bytes of all request bodies that are being read or processed, with a ceiling. */
export class RequestMemory {
  readonly #limit: number;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** Counts the body of an exchange as it arrives, until the exchange is closed. */
  admitting(exchange: Exchange): AdmitBytes {
    let [received, counted] = [0, 0];
    return (bytes) => {
      received += bytes;
      const more = received - uncountedBytes - counted;
      if (more <= 0) return true;
      if (this.#used + more > this.#limit) return false;
      if (counted === 0)
        exchange.onClose(() => {
          this.#used -= counted;
        });
      counted += more;
      this.#used += more;
      return true;
    };
  }
}
