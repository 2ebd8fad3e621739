import type { AdmitBytes } from './body.ts';
import type { Exchange } from './exchange.ts';

/** Bodies up to this size are not counted: the number of requests in flight bounds them. */
const uncountedBytes = 16 * 1024;

/** Counts the bytes of all request bodies that are being read or processed, up to a limit. */
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
   * Counts the body of an exchange until the exchange is closed. A body of declared length is counted at once, so that an admitted
   * one can be read to its end; others are counted as they arrive. One user gets at most half of the limit.
   */
  admitting(exchange: Exchange, user: string): AdmitBytes {
    const declared = Number(exchange.header('content-length') ?? 0);
    let [received, counted] = [0, 0];
    return (bytes) => {
      received += bytes;
      const more = Math.max(received, declared) - uncountedBytes - counted;
      if (more <= 0) return true;
      if (!this.#take(user, more)) return false;
      if (counted === 0) exchange.onClose(() => this.#release(user, counted));
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

  #release(user: string, bytes: number): void {
    this.#used -= bytes;
    const own = (this.#byUser.get(user) ?? 0) - bytes;
    if (own > 0) this.#byUser.set(user, own);
    else this.#byUser.delete(user);
  }
}
