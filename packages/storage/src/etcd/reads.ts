import { Compacted, type Entry, FutureRevision, type Page, type StoreListOptions } from '../store.ts';
import type { EtcdClient } from './rpc/client.ts';
import { isCompacted, isFuture } from './rpc/errors.ts';
import { prefixRange, type RangeResponse, rangeMethod } from './rpc/kv.ts';
import { ServerWatch } from './rpc/server-watch.ts';

const FIRST_READ_ENTRIES = 500;
const READ_BYTES = 4 << 20;
const MOST_READ_ENTRIES = 10_000;
const MAX_RESTARTS = 3;

/** Range requests. A long list is read in pages of a few megabytes, all at one revision. */
export class Reads {
  readonly #client: EtcdClient;
  readonly #compactions: Compactions;
  readonly #probeKey: string;

  constructor(client: EtcdClient, compactions: Compactions, probeKey: string) {
    this.#client = client;
    this.#compactions = compactions;
    this.#probeKey = probeKey;
  }

  async revision(timeoutMs?: number): Promise<number> {
    const probe = { key: this.#probeKey, countOnly: true };
    return (await this.#client.read(rangeMethod, probe, timeoutMs)).newest;
  }

  async get(key: string): Promise<Entry | undefined> {
    return (await this.#client.read(rangeMethod, { key })).entries[0];
  }

  /** Restarts if the revision is compacted while paging, unless the caller asked for that revision. */
  async list(prefix: string, options: StoreListOptions): Promise<Page> {
    for (let restarts = 0; ; restarts++) {
      try {
        return await this.#list(prefix, options);
      } catch (error) {
        if (!(error instanceof Compacted) || options.revision || restarts === MAX_RESTARTS) throw error;
      }
    }
  }

  async #list(prefix: string, { limit = 0, from, revision }: StoreListOptions): Promise<Page> {
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
      return await this.#client.read(rangeMethod, { ...prefixRange(prefix, from), limit, ...(revision && { revision }) });
    } catch (error) {
      if (isCompacted(error)) throw new Compacted(await this.#compactions.newest(revision as number));
      if (isFuture(error)) throw new FutureRevision(await this.revision());
      throw error;
    }
  }
}

/** The smallest key after the last one read. */
function after(entries: readonly Entry[]): string {
  return `${entries.at(-1)?.key}\0`;
}

/** Number of entries of this average size that fit into the next page. */
function fitting({ entries }: RangeResponse): number {
  const bytes = entries.reduce((sum, { key, value }) => sum + key.length + value.length, entries.length);
  return Math.max(1, Math.min(Math.floor((entries.length * READ_BYTES) / bytes), MOST_READ_ENTRIES));
}

const FIRST_REVISION = 1;
const PROBE_TIMEOUT_MS = 1_000;

/** Tracks the newest compacted revision. etcd reveals it only to watchers that start before it. */
export class Compactions {
  readonly #client: EtcdClient;
  readonly #probeKey: string;
  #newest = 0;
  #probe: Promise<void> | undefined;

  constructor(client: EtcdClient, probeKey: string) {
    this.#client = client;
    this.#probeKey = probeKey;
  }

  note(revision: number): void {
    this.#newest = Math.max(this.#newest, revision);
  }

  /** Returns the newest compacted revision, which is known to be after this one. */
  async newest(after: number): Promise<number> {
    if (this.#newest <= after) await this.#ask().catch(() => {});
    return Math.max(this.#newest, after + 1);
  }

  #ask(): Promise<void> {
    this.#probe ??= this.#watchFromStart().finally(() => {
      this.#probe = undefined;
    });
    return this.#probe;
  }

  async #watchFromStart(): Promise<void> {
    const member = await this.#client.members.ready(performance.now() + PROBE_TIMEOUT_MS);
    const watch = await ServerWatch.open(this.#client, member, { key: this.#probeKey }, FIRST_REVISION);
    const timer = setTimeout(() => watch.cancel(), PROBE_TIMEOUT_MS);
    try {
      for await (const _ of watch.responses());
    } catch (error) {
      if (error instanceof Compacted) this.note(error.oldest - 1);
    } finally {
      clearTimeout(timer);
    }
  }
}
