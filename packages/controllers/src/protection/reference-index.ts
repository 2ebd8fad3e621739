import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CacheEntry, CacheFollower, type ObjectRegistry } from '@tsukube/apiserver';

const sliceEntries = 500;
const none: readonly string[] = [];

/**
 * Maps a name to the objects that refer to it: a claim to pods, a class to claims. Built on first use and updated from then
 * on: it costs nothing while no object waits for its deletion.
 */
export class ReferenceIndex {
  readonly #objects: ObjectRegistry;
  readonly #referencesOf: (entry: CacheEntry) => readonly string[];
  readonly #onChange: (name: string) => void;
  readonly #references = new Map<string, readonly string[]>();
  readonly #referrers = new Map<string, Set<string>>();
  #follower: CacheFollower | undefined;
  /** Incremented by every gap. */
  #generation = 0;
  #isStopped = false;

  /** `onChange` is called with every name that an object referred to before or after a change. */
  constructor(objects: ObjectRegistry, referencesOf: (entry: CacheEntry) => readonly string[], onChange: (name: string) => void) {
    this.#objects = objects;
    this.#referencesOf = referencesOf;
    this.#onChange = onChange;
  }

  /** The objects that refer to a name now, as a linearizable read. */
  async referrers(name: string): Promise<readonly CacheEntry[]> {
    const { cache } = this.#objects;
    this.#follower ??= new CacheFollower(cache, {
      onList: (entries) => this.#build(entries),
      onEvents: (events) => {
        for (const { entry } of events) this.#update(entry.key);
      },
      onGap: () => this.#reset(),
    });
    // Again if a gap emptied the index meanwhile.
    for (let listed: Promise<void> | undefined; listed !== this.#follower.listed(); await cache.fresh()) {
      listed = this.#follower.listed();
      await listed;
    }
    return [...(this.#referrers.get(name) ?? none)].flatMap((key) => cache.peek(key) ?? []);
  }

  stop(): void {
    this.#isStopped = true;
    this.#follower?.stop();
  }

  /** In slices; a gap ends it, since a new list follows. */
  async #build(entries: readonly CacheEntry[]): Promise<void> {
    const generation = this.#generation;
    for (const [i, { key }] of entries.entries()) {
      this.#update(key);
      if (i % sliceEntries !== sliceEntries - 1) continue;
      await nextTurn();
      if (generation !== this.#generation) return;
    }
  }

  #reset(): void {
    this.#generation++;
    const names = [...this.#referrers.keys()];
    this.#referrers.clear();
    this.#references.clear();
    if (!this.#isStopped) for (const name of names) this.#onChange(name);
  }

  #update(key: string): void {
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
