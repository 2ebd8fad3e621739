import { expect, it } from 'vitest';
import { openMemory } from '../memory/index.ts';
import { Compacted, type Entry, type Page, type Store, type StoreListOptions } from '../store.ts';
import { bytes, type OpenStore, type SeededRandom, seeded, textOf } from './support.ts';

const STEPS = 400;
const KEPT_REVISIONS = 60;
const KEYS = ['/m', '/m/', '/m/a', '/m/a/1', '/m/a/2', '/m/ab', '/m/b', '/m/b/1', '/m/c', '/n'];

export function model(open: OpenStore): void {
  it.each([1, 2, 3])('behaves like the model (seed %i)', async (seed) => {
    const { store } = await open();
    const pair = new Pair(store, openMemory(), await store.revision(), seeded(seed));
    for (let step = 0; step < STEPS; step++) await pair.step();
  });
}

/** A store and a model that get the same writes; only their revisions differ. */
class Pair {
  readonly #store: Store;
  readonly #model: Store;
  readonly #offset: number;
  readonly #random: SeededRandom;

  constructor(store: Store, simple: Store, revision: number, random: SeededRandom) {
    this.#store = store;
    this.#model = simple;
    this.#offset = revision - 1;
    this.#random = random;
  }

  async step(): Promise<void> {
    const dice = this.#random(20);
    if (dice === 0) await this.#compact();
    else if (dice < 10) await this.#write();
    else await this.#compareLists();
  }

  async #write(): Promise<void> {
    const key = this.#pick(KEYS);
    const value = bytes(`${key} ${this.#random(1000)}`);
    const found = await this.#model.get(key);
    if (!found) await this.#both((store) => store.create(key, value));
    else if (this.#random(3) > 0) await this.#both((store, offset) => store.update(key, value, found.revision + offset));
    else await this.#both((store, offset) => store.delete(key, found.revision + offset));
    expect(await this.#store.revision()).toBe((await this.#model.revision()) + this.#offset);
  }

  async #compact(): Promise<void> {
    const mark = (await this.#model.revision()) - this.#random(KEPT_REVISIONS);
    if (mark > 1) await this.#both((store, offset) => store.compact(mark + offset));
  }

  async #compareLists(): Promise<void> {
    const prefix = this.#pick(['', '/m', '/m/', '/m/a', '/m/b', '/x']);
    const from = this.#random(2) ? this.#pick([...KEYS, '/a', '/m/b\0', '/z']) : undefined;
    const limit = this.#random(5);
    const newest = await this.#model.revision();
    const revision = this.#random(3) ? Math.max(1, newest - this.#random(KEPT_REVISIONS)) : undefined;
    const options = { from, limit, revision };
    const expected = await outcome(this.#model, prefix, options, 0);
    expect(await outcome(this.#store, prefix, options, this.#offset), JSON.stringify({ prefix, ...options })).toEqual(expected);
  }

  async #both(act: (store: Store, offset: number) => Promise<unknown>): Promise<void> {
    await act(this.#model, 0);
    await act(this.#store, this.#offset);
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#random(choices.length)] as T;
  }
}

async function outcome(store: Store, prefix: string, options: StoreListOptions, offset: number): Promise<unknown> {
  const revision = options.revision && options.revision + offset;
  return store.list(prefix, { ...options, revision }).then(
    (page) => comparable(page, offset),
    (error: unknown) => (error instanceof Compacted ? 'compacted' : error),
  );
}

function comparable({ entries, revision, more, count }: Page, offset: number) {
  const relative = ({ key, value, revision, created }: Entry) => [key, textOf(value), revision - offset, created - offset];
  return { entries: entries.map(relative), revision: revision - offset, more, count };
}
