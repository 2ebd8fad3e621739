import { type Change, type Entry, KeyExists, Mismatch, type Store } from '@tsukube/storage';
import { type Created, isServerOwned } from './server-owned.ts';

/** A store in this process that reports every write. */
export type TappedStore = Store & Required<Pick<Store, 'tap'>>;

/** The state of the store that `reset` returns to. */
export interface Baseline {
  reset(): Promise<void>;
  /** Removes a namespace and everything in it. */
  removeNamespace(name: string): Promise<void>;
  stop(): void;
}

/** The entry of a key in the baseline and its current entry. */
interface Difference {
  readonly before: Entry | undefined;
  readonly now: Entry | undefined;
}

/** Maximum passes, in case objects keep being created. */
const maxPasses = 10;

/**
 * Records the previous entry of every key that is written from now on. Objects that the server itself creates later become part
 * of the baseline. Objects are removed and restored in the store, so watches see it and finalizers do not block it.
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

  /** Repeats until nothing is left, because controllers may create objects meanwhile. */
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

/** Namespace contents before namespaces, custom resources before their CRDs. */
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

/** A concurrent write won; if it created an object, the next pass removes it. */
function ignoreRaces(error: unknown): void {
  if (!(error instanceof Mismatch || error instanceof KeyExists)) throw error;
}

/** Lets controllers react. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
