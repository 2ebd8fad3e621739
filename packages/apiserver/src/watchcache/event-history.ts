import type { CacheEntry, CacheEvent } from './entry.ts';
import { comesBefore, type SortedEntries } from './sorted-entries.ts';

/** The newest events in order, limited in number and bytes. */
export class EventHistory {
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  readonly #onForget: (event: CacheEvent) => void;
  #events: CacheEvent[] = [];
  #head = 0;
  #bytes = 0;
  /** All events after this revision are held. */
  #floor: number;

  constructor(floor: number, maxEvents: number, maxBytes: number, onForget: (event: CacheEvent) => void) {
    this.#floor = floor;
    this.#maxEvents = maxEvents;
    this.#maxBytes = maxBytes;
    this.#onForget = onForget;
  }

  get #isFull(): boolean {
    return this.#events.length - this.#head > this.#maxEvents || this.#bytes > this.#maxBytes;
  }

  get floor(): number {
    return this.#floor;
  }

  push(event: CacheEvent): void {
    this.#events.push(event);
    this.#bytes += event.weight;
    while (this.#isFull) this.#forgetOldest();
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Events after a revision; undefined if some of them were dropped. */
  after(after: number): CacheEvent[] | undefined {
    if (after < this.#floor) return undefined;
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as CacheEvent).entry.revision <= after) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low);
  }

  /** Drops events up to a revision. Without such events the floor stays, so that watches of idle resources can resume. */
  forget(revision: number): void {
    while ((this.#events[this.#head]?.entry.revision ?? Number.POSITIVE_INFINITY) <= revision) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const event = this.#events[this.#head];
    if (!event) return;
    this.#events[this.#head++] = undefined as unknown as CacheEvent;
    this.#bytes -= event.weight;
    this.#floor = event.entry.revision;
    this.#onForget(event);
  }
}

/** The entries before some events: the current ones with those events undone. */
export function entriesAt(entries: SortedEntries, later: readonly CacheEvent[], prefix: string, from: string): CacheEntry[] {
  const present = entries.slice(prefix, from, Number.POSITIVE_INFINITY);
  const before = new Map<string, CacheEntry | undefined>();
  for (const { entry, previous } of later) {
    if (entry.key.startsWith(prefix) && !comesBefore(entry.key, from) && !before.has(entry.key)) before.set(entry.key, previous);
  }
  if (before.size === 0) return present;
  const untouched = present.filter((entry) => !before.has(entry.key));
  const restored = [...before.values()].filter((entry) => entry !== undefined);
  return mergeByKey(
    untouched,
    restored.sort((a, b) => (comesBefore(a.key, b.key) ? -1 : 1)),
  );
}

function mergeByKey(a: readonly CacheEntry[], b: readonly CacheEntry[]): CacheEntry[] {
  const merged: CacheEntry[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i];
    const right = b[j];
    if (left && (!right || comesBefore(left.key, right.key))) {
      merged.push(left);
      i++;
    } else {
      merged.push(right as CacheEntry);
      j++;
    }
  }
  return merged;
}
