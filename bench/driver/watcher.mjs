import { forEachStamp } from './config-map.mjs';

/** @typedef {import('./connection.mjs').Reply} Reply */

/** @type {Buffer} */
const nothing = Buffer.alloc(0);

/**
 * One watch. Events are not parsed, only searched for their stamp.
 * @implements {Reply}
 */
export class Watcher {
  #carried = nothing;
  #open = true;

  /** @param {{ opened(status: number): void, event: (sequence: number) => void, lost(reason: string): void }} listener */
  constructor(listener) {
    this.listener = listener;
  }

  /** @param {number} status */
  head(status) {
    this.listener.opened(status);
  }

  /** @param {Buffer} part */
  data(part) {
    const bytes = this.#carried.length > 0 ? Buffer.concat([this.#carried, part]) : part;
    const done = forEachStamp(bytes, this.listener.event);
    this.#carried = done < bytes.length ? bytes.subarray(done) : nothing;
  }

  end() {
    this.#lose('the watch was ended by the server');
  }

  /** @param {Error} error */
  fail(error) {
    this.#lose(error.message);
  }

  /** @param {string} reason */
  #lose(reason) {
    if (this.#open) this.listener.lost(reason);
    this.#open = false;
  }
}
