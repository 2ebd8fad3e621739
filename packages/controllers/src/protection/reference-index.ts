import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CacheEntry, ObjectRegistry } from '@tsukube/apiserver';

const turnEntries = 500;
const none: readonly string[] = [];

/**
 * Which objects refer to a name: pods to a claim, claims to a class. Built on first use and kept up to date from then on, so
 * that a server on which nothing waits for a deletion does no work for it.
 */
export class ReferenceIndex {
  readonly #objects: ObjectRegistry;
  readonly #referencesOf: (entry: CacheEntry) => readonly string[];
  readonly #onChange: (name: string) => void;
  readonly #references = new Map<string, readonly string[]>();
  readonly #referrers = new Map<string, Set<string>>();
  #built: Promise<void> | undefined;
  #unfollow: () => void = () => {};
  #stopped = false;

  /** `onChange` is called with every name that an object referred to before or after a change. */
  constructor(objects: ObjectRegistry, referencesOf: (entry: CacheEntry) => readonly string[], onChange: (name: string) => void) {
    this.#objects = objects;
    this.#referencesOf = referencesOf;
    this.#onChange = onChange;
  }

  /** The objects that refer to a name now, as a linearizable read. */
  async referrers(name: string): Promise<readonly CacheEntry[]> {
    this.#built ??= this.#build();
    await this.#built;
    const { cache } = this.#objects;
    await cache.fresh();
    return [...(this.#referrers.get(name) ?? none)].flatMap((key) => cache.peek(key) ?? []);
  }

  stop(): void {
    this.#stopped = true;
    this.#unfollow();
  }

  async #build(): Promise<void> {
    const { cache } = this.#objects;
    try {
      await cache.fresh();
      // Checked again after each wait: a gap may empty the cache before the continuation runs.
      for (let loading = cache.loaded(); loading; loading = cache.loaded()) await loading;
      if (this.#stopped) return;
      this.#unfollow = cache.follow({
        onEvents: (events) => {
          for (const { entry } of events) this.#note(entry.key);
        },
        onGap: () => this.#reset(),
      });
      const entries = cache.slice(cache.prefix);
      for (const [i, { key }] of entries.entries()) {
        this.#note(key);
        if (i % turnEntries === turnEntries - 1) await nextTurn();
      }
    } catch (error) {
      this.#reset();
      throw error;
    }
  }

  /** Events were missed: the next question builds the index anew. */
  #reset(): void {
    this.#unfollow();
    this.#built = undefined;
    const names = [...this.#referrers.keys()];
    this.#referrers.clear();
    this.#references.clear();
    if (!this.#stopped) for (const name of names) this.#onChange(name);
  }

  #note(key: string): void {
    const entry = this.#objects.cache.peek(key);
    const before = this.#references.get(key) ?? none;
    const now = entry ? this.#referencesOf(entry) : none;
    for (const name of before) this.#remove(name, key);
    for (const name of now) this.#add(name, key);
    if (now.length > 0) this.#references.set(key, now);
    else this.#references.delete(key);
    for (const name of new Set([...before, ...now])) this.#onChange(name);
  }

  #add(name: string, key: string): void {
    const keys = this.#referrers.get(name);
    if (keys) keys.add(key);
    else this.#referrers.set(name, new Set([key]));
  }

  #remove(name: string, key: string): void {
    const keys = this.#referrers.get(name);
    keys?.delete(key);
    if (keys?.size === 0) this.#referrers.delete(name);
  }
}
