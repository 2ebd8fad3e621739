import { afterEach, describe } from 'vitest';
import { cancelledWrites } from './cancellation.ts';
import { compaction } from './compaction.ts';
import { expiry } from './expiry.ts';
import { lifecycle } from './lifecycle.ts';
import { lists } from './lists.ts';
import { model } from './model.ts';
import { tap, trim, valueAt } from './optional-methods.ts';
import type { OpenStore, StoreUnderTest } from './support.ts';
import { storeWatches, watchesUnderLoad } from './watches.ts';
import { concurrency, writes } from './writes.ts';

export type { OpenStore, StoreUnderTest } from './support.ts';
export { ManualClock } from './support.ts';

const ASPECTS = {
  writes,
  concurrency,
  cancellation: cancelledWrites,
  lists,
  storeWatches,
  'watches under load': watchesUnderLoad,
  compaction,
  expiry,
  tap,
  valueAt,
  trim,
  lifecycle,
  'random operations': model,
};

/** Registers the tests every store must pass. `open` is called for each test and must return an empty store. */
export function storeContract(name: string, open: OpenStore): void {
  describe(name, () => {
    const opened: StoreUnderTest[] = [];
    const track = (store: StoreUnderTest): StoreUnderTest => {
      opened.push(store);
      const { reopen } = store;
      return reopen ? { ...store, reopen: async () => track(await reopen()) } : store;
    };
    afterEach(async () => {
      for (const store of opened.splice(0).reverse()) await store.close();
    });
    for (const [aspect, register] of Object.entries(ASPECTS)) describe(aspect, () => register(async () => track(await open())));
  });
}
