import type { Entry } from '../store.ts';

/** When keys expire. */
export class Expirations {
  readonly #due = new Map<string, { readonly at: number; readonly entry: Entry }>();

  remember(entry: Entry, at: number): void {
    this.#due.set(entry.key, { at, entry });
  }

  forget(key: string): void {
    this.#due.delete(key);
  }

  due(now: number): Entry[] {
    return [...this.#due.values()].filter(({ at }) => at <= now).map(({ entry }) => entry);
  }

  next(): number | undefined {
    let earliest: number | undefined;
    for (const { at } of this.#due.values()) if (earliest === undefined || at < earliest) earliest = at;
    return earliest;
  }
}
