import { type DatabaseKind, databaseMissing, startDatabase } from './databases.ts';
import { etcdMissing, startEtcdCluster } from './etcd.ts';

/** A member of etcd, or a server of the database, that can be killed. */
export interface StoreMember {
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** A store for several servers. */
export interface SharedStore {
  /** Flags of the servers. */
  readonly args: readonly string[];
  readonly members: readonly StoreMember[];
  /** Ends all members and removes their data. */
  stop(): Promise<void>;
}

export type SharedStoreKind = 'etcd' | DatabaseKind;

/** The reasons to skip suites. */
export const sharedStoreMissing: Readonly<Record<SharedStoreKind, string | undefined>> = {
  etcd: etcdMissing,
  ...databaseMissing,
};

/** Starts etcd with a number of members, or a database, which has one. */
export async function startSharedStore(kind: SharedStoreKind, etcdMembers = 1): Promise<SharedStore> {
  if (kind === 'etcd') {
    const { endpoints, members, stop } = await startEtcdCluster(etcdMembers);
    return { args: [`--etcd-servers=${endpoints.join(',')}`], members, stop };
  }
  const database = await startDatabase(kind);
  return {
    args: [`--storage=${kind}`, `--storage-dsn=${database.dsn}`],
    members: [database],
    stop: () => database.stop(),
  };
}
