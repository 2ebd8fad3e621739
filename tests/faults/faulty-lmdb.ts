import { mkdirSync } from 'node:fs';
import { systemClock } from '../../packages/storage/src/clock.ts';
import { type LmdbEnvironment, openEnvironment } from '../../packages/storage/src/lmdb/environment.ts';
import { LmdbStore } from '../../packages/storage/src/lmdb/lmdb-store.ts';
import { loadState } from '../../packages/storage/src/lmdb/load-state.ts';
import type { Store } from '../../packages/storage/src/store.ts';

/** Where commits fail: before anything is written, or at the flush. */
export type CommitFault = 'write' | 'flush';

export interface FaultyLmdb {
  open(): Promise<Store>;
  /** Commits succeed while it is undefined. */
  fault: CommitFault | undefined;
  failed: number;
}

/** An LMDB store whose disk returns EIO on demand. */
export function faultyLmdb(path: string): FaultyLmdb {
  const faulty: FaultyLmdb = {
    fault: undefined,
    failed: 0,
    async open() {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      const tables = openEnvironment({ path });
      const { state, transaction } = await loadState(tables);
      const store = new LmdbStore(withFaults(tables, faulty), state, transaction, { clock: systemClock });
      store.start();
      return store;
    },
  };
  return faulty;
}

type Meta = LmdbEnvironment['meta'];

function withFaults(tables: LmdbEnvironment, faulty: FaultyLmdb): LmdbEnvironment {
  const ifVersion = async (...[id, version, callback]: Parameters<Meta['ifVersion']>): Promise<boolean> => {
    const { fault } = faulty;
    if (fault === undefined) return tables.meta.ifVersion(id, version, callback);
    faulty.failed++;
    // LMDB discards a transaction that it could not flush.
    if (fault === 'flush') await tables.meta.ifVersion(id, impossibleVersion, callback);
    throw Object.assign(new Error('Input/output error'), { code: 5 });
  };
  const meta = new Proxy({} as Meta, {
    get: (_, name) => (name === 'ifVersion' ? ifVersion : bound(tables.meta, name)),
  });
  return new Proxy(tables, { get: (target, name) => (name === 'meta' ? meta : Reflect.get(target, name)) });
}

const impossibleVersion = 2 ** 50;

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}
