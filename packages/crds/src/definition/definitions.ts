import { type CacheEntry, type CacheEvent, CacheFollower, memberOf, type ObjectRegistry } from '@tsukube/apiserver';
import type { Definition } from './definition.ts';
import { definitionOf } from './read-definition.ts';

export interface DefinitionChange {
  readonly name: string;
  readonly before: CacheEntry | undefined;
  /** Undefined if it was deleted. */
  readonly after: CacheEntry | undefined;
}

/** The definitions in the watch cache. There is no other state, so all replicas serve the same. */
export interface Definitions {
  /** Loads the cache and follows its changes; required before the other methods. Rejects if the newest list failed; it is retried. */
  load(): Promise<void>;
  /** Settles when the definitions include all writes acknowledged before, by any server. Undefined if they do. */
  fresh(): Promise<unknown> | undefined;
  find(group: string, plural: string): CacheEntry | undefined;
  named(name: string): CacheEntry | undefined;
  /** Without corrupt entries; requests for their objects fail. */
  all(): readonly CacheEntry[];
  /** Calls back for each change, in order; with undefined after a list, when anything may have changed. */
  onChange(listener: ChangeListener): () => void;
  /** Ends the callbacks. */
  close(): void;
}

type ChangeListener = (change: DefinitionChange | undefined) => void;

export function openDefinitions({ cache, resource }: ObjectRegistry): Definitions {
  const prefix = `${resource.storagePrefix}/`;
  const listeners = new Set<ChangeListener>();
  let follower: CacheFollower | undefined;
  const notify: ChangeListener = (change) => {
    for (const listener of listeners) listener(change);
  };
  return {
    load() {
      follower ??= new CacheFollower(cache, {
        onList: () => notify(undefined),
        onEvents(events) {
          for (const event of events) notify(changeOf(event, prefix));
        },
      });
      return follower.listed();
    },
    fresh: () => cache.fresh(),
    find: (group, plural) => cache.peek(`${prefix}${plural}.${group}`),
    named: (name) => cache.peek(prefix + name),
    all: () => cache.slice(prefix).filter(({ corrupt }) => !corrupt),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => follower?.stop(),
  };
}

/** Definitions in a cache without change events (in a worker thread): a lookup detects changes. */
export function lookedUpDefinitions({ cache, resource }: ObjectRegistry): Definitions {
  const prefix = `${resource.storagePrefix}/`;
  const seen = new Map<string, CacheEntry>();
  const listeners = new Set<ChangeListener>();
  const observe = (name: string, after: CacheEntry | undefined): CacheEntry | undefined => {
    const before = seen.get(name);
    if (after) seen.set(name, after);
    else seen.delete(name);
    if (before && before !== after) for (const listener of listeners) listener({ name, before, after });
    return after;
  };
  const named = (name: string) => observe(name, cache.peek(prefix + name));
  return {
    load: async () => void (await cache.fresh()),
    fresh: () => cache.fresh(),
    find: (group, plural) => named(`${plural}.${group}`),
    named,
    all: () =>
      cache
        .slice(prefix)
        .filter(({ corrupt }) => !corrupt)
        .map((entry) => observe(entry.key.slice(prefix.length), entry) as CacheEntry),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {},
  };
}

function changeOf({ type, entry, previous }: CacheEvent, prefix: string): DefinitionChange {
  return { name: entry.key.slice(prefix.length), before: previous, after: type === 'put' ? entry : undefined };
}

export function definitionsIn(definitions: Definitions): readonly Definition[] {
  return definitions.all().map(definitionOf);
}

/** Whether two states of a definition serve the same API: equal uid, spec, accepted names and termination. */
export function isSameSpec(a: CacheEntry, b: CacheEntry): boolean {
  if (a === b) return true;
  try {
    return (
      parts.every((path) => isSame(memberOf(a.value, ...path), memberOf(b.value, ...path))) &&
      isTerminating(a) === isTerminating(b)
    );
  } catch {
    // Corrupt.
    return false;
  }
}

const parts: readonly (readonly string[])[] = [['metadata', 'uid'], ['spec'], ['status', 'acceptedNames']];

function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.equals(b));
}

/** Discovery lists fewer verbs while a definition is terminating. */
function isTerminating({ value }: CacheEntry): boolean {
  return memberOf(value, 'status', 'conditions')?.includes('"type":"Terminating","status":"True"') ?? false;
}
