import type { AdmitBytes } from './body.ts';
import type { Exchange } from './exchange.ts';

/** Bodies up to this size are not counted: the number of requests in flight bounds them. */
const uncountedBytes = 16 * 1024;

/** The bytes of all request bodies that are being read or processed, with a ceiling. */
export class RequestMemory {
  readonly #limit: number;
  readonly #byUser = new Map<string, number>();
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /**
   * Counts the body of an exchange until the exchange is closed: all of it at once if its length is declared, so that what is
   * admitted comes to its end, and else as it arrives. One user gets at most half of the room.
   */
  admitting(exchange: Exchange, user: string): AdmitBytes {
    const declared = Number(exchange.header('content-length') ?? 0);
    let [received, counted] = [0, 0];
    return (bytes) => {
      received += bytes;
      const more = Math.max(received, declared) - uncountedBytes - counted;
      if (more <= 0) return true;
      if (!this.#take(user, more)) return false;
      if (counted === 0) exchange.onClose(() => this.#give(user, counted));
      counted += more;
      return true;
    };
  }

  #take(user: string, bytes: number): boolean {
    const own = (this.#byUser.get(user) ?? 0) + bytes;
    if (this.#used + bytes > this.#limit || own > this.#limit / 2) return false;
    this.#used += bytes;
    this.#byUser.set(user, own);
    return true;
  }

  #give(user: string, bytes: number): void {
    this.#used -= bytes;
    const own = (this.#byUser.get(user) ?? 0) - bytes;
    if (own > 0) this.#byUser.set(user, own);
    else this.#byUser.delete(user);
  }
}
