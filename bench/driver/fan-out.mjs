import { createHistogram, record } from './histogram.mjs';

/**
 * Tracks every write to every watcher. A slot, and with it the object it writes, is free again when the write is acknowledged
 * and all watchers have its event. So the slowest watcher sets the pace and none falls behind permanently.
 *
 * @typedef {{ slot: number, sentAt: number, missing: number }} Outstanding
 */
export class FanOut {
  latencies = createHistogram();
  /** @type {number[]} */
  #freeSlots;
  /** @type {Map<number, Outstanding>} */
  #outstanding = new Map();
  /** Differs from the stamps of earlier runs, because a no-op write has no event. */
  #sequence = Date.now() * 1000;
  #countFrom = Number.POSITIVE_INFINITY;
  #countUntil = Number.POSITIVE_INFINITY;

  /** @param {number} watchers @param {number} slots @param {() => void} onFree */
  constructor(watchers, slots, onFree) {
    this.watchers = watchers;
    this.onFree = onFree;
    this.#freeSlots = Array.from({ length: slots }, (_, slot) => slot);
  }

  /** @param {number} from @param {number} until only events that arrive in between are counted */
  count(from, until) {
    this.#countFrom = from;
    this.#countUntil = until;
  }

  get outstanding() {
    return this.#outstanding.size;
  }

  /** @returns {{ sequence: number, slot: number } | undefined} undefined when every slot is taken */
  begin() {
    const slot = this.#freeSlots.pop();
    if (slot === undefined) return undefined;
    const sequence = ++this.#sequence;
    // Plus one for the acknowledgement.
    this.#outstanding.set(sequence, { slot, sentAt: performance.now(), missing: this.watchers + 1 });
    return { sequence, slot };
  }

  /** @param {number} sequence */
  delivered(sequence) {
    const write = this.#outstanding.get(sequence);
    if (!write) return; // event of an earlier run on the same objects
    const now = performance.now();
    if (now >= this.#countFrom && now < this.#countUntil) record(this.latencies, now - write.sentAt);
    this.#arrived(sequence, write);
  }

  /** @param {number} sequence */
  acknowledged(sequence) {
    const write = this.#outstanding.get(sequence);
    if (write) this.#arrived(sequence, write);
  }

  /** A failed write has no event. @param {number} sequence */
  abandoned(sequence) {
    const write = this.#outstanding.get(sequence);
    if (write) this.#free(sequence, write);
  }

  /** A watcher is gone: no write waits for it any longer. */
  lost() {
    this.watchers--;
    for (const [sequence, write] of [...this.#outstanding]) this.#arrived(sequence, write);
  }

  /** @param {number} sequence @param {Outstanding} write */
  #arrived(sequence, write) {
    if (--write.missing <= 0) this.#free(sequence, write);
  }

  /** @param {number} sequence @param {Outstanding} write */
  #free(sequence, write) {
    this.#outstanding.delete(sequence);
    this.#freeSlots.push(write.slot);
    this.onFree();
  }
}
