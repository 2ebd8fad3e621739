import { type Entry, Unavailable, type WriteOptions } from '@tsukube/storage';
import type { ObjectCache } from '../watchcache/object-cache.ts';
import type { CacheCalls, EntryMessage, EntryReply, WriteMessage } from './remote-cache.ts';
import { ownedBytes } from './thread-calls.ts';

/** Whether the request that a job serves is cancelled. */
export type IsCancelled = (job: number) => boolean;

/** Serves workers from the caches of this thread. `onWrite` is called with the job before a write is made for it. */
export function cacheCalls(
  find: (name: string) => ObjectCache | undefined,
  isCancelled: IsCancelled,
  onWrite: (job: number) => void,
): CacheCalls {
  const cacheOf = (name: string): ObjectCache => {
    const cache = find(name);
    if (!cache) throw new Unavailable(`there is no cache of ${name}`, { unwritten: true });
    return cache;
  };
  const writeOptions = ({ job, ttlSeconds }: WriteMessage): WriteOptions => {
    if (job === undefined) return { ttlSeconds };
    onWrite(job);
    return { ttlSeconds, isCancelled: () => isCancelled(job) };
  };
  return {
    state(name) {
      const { current, size, bytes, hasCorruption } = cacheOf(name);
      return { current, size, bytes, hasCorruption };
    },
    fresh: async (name) => (await cacheOf(name).fresh()) ?? true,
    freshAt: async (name, key) => (await cacheOf(name).freshAt(key)) ?? true,
    loaded: async (name) => cacheOf(name).loaded(),
    peek: (name, key, known) => reply(cacheOf(name).peek(key), known),
    get: async (name, key, known) => reply(await cacheOf(name).get(key), known),
    read: async (name, key, known) => reply(await cacheOf(name).read(key), known),
    keys: (name, prefix, from, limit) =>
      cacheOf(name)
        .slice(prefix, from, limit)
        .map(({ key, revision, corrupt }) => (corrupt ? [key, revision, corrupt.problem] : [key, revision])),
    count: (name, prefix, from) => cacheOf(name).count(prefix, from),
    async list(name, prefix, options) {
      const page = await cacheOf(name).list(prefix, options);
      return { ...page, entries: page.entries.map(entryMessage) };
    },
    create: async (name, key, value, options) => entryMessage(await cacheOf(name).create(key, value, writeOptions(options))),
    update: async (name, key, value, expected, options) =>
      entryMessage(await cacheOf(name).update(key, value, expected, writeOptions(options))),
    delete: async (name, key, expected, options) => cacheOf(name).delete(key, expected, writeOptions(options)),
    holds: async (name, key, value) => cacheOf(name).holds(key, value),
    ping: (name) => cacheOf(name).ping(),
  };
}

function reply(entry: Entry | undefined, known: number): EntryReply {
  if (!entry) return undefined;
  return entry.revision === known ? 'known' : entryMessage(entry);
}

export function entryMessage({ key, value, revision, created }: Entry): EntryMessage {
  return { key, value: ownedBytes(value), revision, created };
}
