import { Compacted, type Entry, FutureRevision, type ListOptions, type Page } from '../store.ts';
import type { Compactions } from './compactions.ts';
import { below } from './key-range.ts';
import type { Caller } from './rpc/caller.ts';
import { isCompacted, isFuture } from './rpc/failure.ts';
import { type RangeResponse, range } from './wire/range.ts';

const FIRST_READ_ENTRIES = 500;
const READ_BYTES = 4 << 20;
const MOST_READ_ENTRIES = 10_000;
const MAX_RESTARTS = 3;

/** Reads keys. A long list is read in pieces of a few megabytes, all at one revision. */
export class Reads {
  readonly #caller: Caller;
  readonly #compactions: Compactions;
  readonly #probeKey: string;

  constructor(caller: Caller, compactions: Compactions, probeKey: string) {
    this.#caller = caller;
    this.#compactions = compactions;
    this.#probeKey = probeKey;
  }

  async revision(timeoutMs?: number): Promise<number> {
    const probe = { key: this.#probeKey, countOnly: true };
    return (await this.#caller.read(range, probe, timeoutMs)).newest;
  }

  async get(key: string): Promise<Entry | undefined> {
    return (await this.#caller.read(range, { key })).entries[0];
  }

  /** Starts again if history is compacted under its feet, unless it was asked for that history. */
  async list(prefix: string, options: ListOptions): Promise<Page> {
    for (let restarts = 0; ; restarts++) {
      try {
        return await this.#list(prefix, options);
      } catch (error) {
        if (!(error instanceof Compacted) || options.revision || restarts === MAX_RESTARTS) throw error;
      }
    }
  }

  async #list(prefix: string, { limit = 0, from, revision }: ListOptions): Promise<Page> {
    const wanted = limit > 0 ? limit : Number.POSITIVE_INFINITY;
    const first = await this.#read(prefix, from, Math.min(wanted, FIRST_READ_ENTRIES), revision);
    const shown = revision || first.newest;
    const entries = first.entries as Entry[];
    let last = first;
    while (last.more && entries.length < wanted) {
      last = await this.#read(prefix, after(entries), Math.min(wanted - entries.length, fitting(last)), shown);
      for (const entry of last.entries) entries.push(entry);
    }
    return { entries, revision: shown, more: last.more, count: first.count };
  }

  async #read(prefix: string, from: string | undefined, limit: number, revision: number | undefined): Promise<RangeResponse> {
    try {
      return await this.#caller.read(range, { ...below(prefix, from), limit, ...(revision && { revision }) });
    } catch (error) {
      if (isCompacted(error)) throw new Compacted(await this.#compactions.newest(revision as number));
      if (isFuture(error)) throw new FutureRevision(await this.revision());
      throw error;
    }
  }
}

/** The smallest key behind the last one read. */
function after(entries: readonly Entry[]): string {
  return `${entries.at(-1)?.key}\0`;
}

/** How many entries like these fit into the next read. */
function fitting({ entries }: RangeResponse): number {
  const bytes = entries.reduce((sum, { key, value }) => sum + key.length + value.length, entries.length);
  return Math.max(1, Math.min(Math.floor((entries.length * READ_BYTES) / bytes), MOST_READ_ENTRIES));
}
