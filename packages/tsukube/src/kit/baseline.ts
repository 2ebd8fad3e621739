import { type Change, type Entry, KeyExists, Mismatch, type Store } from '@tsukube/storage';
import { type Created, isServerOwned } from './server-owned.ts';

/** A store in this process, which tells of every write. */
export type TappedStore = Store & Required<Pick<Store, 'tap'>>;

/** The state of the store that `reset` returns to. */
export interface Baseline {
  reset(): Promise<void>;
  /** Removes a namespace and everything in it. */
  removeNamespace(name: string): Promise<void>;
  stop(): void;
}

/** The entry that a key had in the baseline, and the one that it has now. */
interface Difference {
  readonly before: Entry | undefined;
  readonly now: Entry | undefined;
}

/** Passes after which objects that keep being created are left alone. */
const maxPasses = 10;

/**
 * Remembers, for every key that is written from now on, the entry it had before. Objects that the server itself creates
 * later join the baseline. Removing and restoring happens in the store: watches see it, finalizers do not matter.
 */
export function recordBaseline(store: TappedStore, prefix: string): Baseline {
  const differences = new Map<string, Difference>();
  const definitions = `${prefix}apiextensions.k8s.io/customresourcedefinitions/`;
  const created: Created = {
    hasNamespace: (name) => isCreated(differences.get(`${prefix}namespaces/${name}`)),
    hasGroup: (group) =>
      [...differences].some(([key, each]) => isCreated(each) && key.startsWith(definitions) && key.endsWith(`.${group}`)),
  };
  const stop = store.tap(({ changes }) => {
    for (const change of changes) record(change);
  });

  function record(change: Change): void {
    const { type, entry, previous } = change;
    const { key } = entry;
    if (!key.startsWith(prefix)) return;
    const known = differences.get(key);
    const now = type === 'put' ? entry : undefined;
    if (known !== undefined) keep(key, { before: known.before, now });
    else if (!isServerOwned(key.slice(prefix.length), change, created)) keep(key, { before: previous, now });
  }

  function keep(key: string, difference: Difference): void {
    if (difference.before === undefined && difference.now === undefined) differences.delete(key);
    else differences.set(key, difference);
  }

  /** Controllers may create objects while others are removed: passes go on until there are none. */
  async function removeCreated(isWanted: (key: string) => boolean): Promise<void> {
    for (let pass = 0; pass < maxPasses; pass++) {
      const created = [...differences].filter(([key, each]) => isCreated(each) && isWanted(key));
      if (created.length === 0) return;
      await Promise.all(inRemovalOrder(created, prefix).map(([key, { now }]) => remove(store, key, now)));
      await nextTurns();
    }
  }

  return {
    async reset() {
      const changed = [...differences].filter(([, { before }]) => before !== undefined);
      await Promise.all(changed.map(([key, difference]) => restore(store, key, difference)));
      for (const [key] of changed) differences.delete(key);
      await removeCreated(() => true);
    },
    removeNamespace: (name) => removeCreated((key) => key === `${prefix}namespaces/${name}` || key.split('/').at(-2) === name),
    stop,
  };
}

function isCreated(difference: Difference | undefined): boolean {
  return difference !== undefined && difference.before === undefined;
}

/** Contents of namespaces before namespaces, custom resources before their definitions. */
function inRemovalOrder<T>(keys: readonly (readonly [string, T])[], prefix: string): (readonly [string, T])[] {
  const late = [`${prefix}namespaces/`, `${prefix}apiextensions.k8s.io/customresourcedefinitions/`];
  const rank = (key: string) => late.findIndex((each) => key.startsWith(each));
  return [...keys].sort(([a], [b]) => rank(a) - rank(b));
}

async function remove(store: Store, key: string, now: Entry | undefined): Promise<void> {
  if (now !== undefined) await store.delete(key, now.revision).catch(ignoreRaces);
}

async function restore(store: Store, key: string, { before, now }: Difference): Promise<void> {
  const value = (before as Entry).value;
  if (now === undefined) await store.create(key, value).catch(ignoreRaces);
  else if (Buffer.compare(now.value, value) !== 0) await store.update(key, value, now.revision).catch(ignoreRaces);
}

/** A write of someone else came in between; if it created an object, the next pass removes it. */
function ignoreRaces(error: unknown): void {
  if (!(error instanceof Mismatch || error instanceof KeyExists)) throw error;
}

/** Lets controllers act on what has changed. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
