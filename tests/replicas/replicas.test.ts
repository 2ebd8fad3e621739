import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type DatabaseKind, databaseMissing, startDatabase } from '../support/databases.ts';
import { type EtcdCluster, etcdMissing, startEtcdCluster } from '../support/etcd.ts';
import { clock, isLong, showProgress } from '../support/progress.ts';
import { type Random, seeded } from '../support/random.ts';
import { type Replicas, startReplicas } from '../support/replicas.ts';
import { notBuilt } from '../support/server-process.ts';
import { HistoryTrial } from './history-trial.ts';

const seed = Number(process.env.REPLICAS_SEED ?? 1);
const storage = process.env.REPLICAS_STORAGE ?? 'etcd';
/** A member of etcd, or a server of the database, that can be killed. */
interface Member {
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** The store of the replicas. At most one of its members is down at a time. */
interface SharedStore {
  readonly args: readonly string[];
  readonly members: readonly Member[];
  stop(): Promise<void>;
}

const stores: Readonly<Record<string, () => Promise<SharedStore>>> = {
  async etcd() {
    const cluster: EtcdCluster = await startEtcdCluster(3);
    return { args: [`--etcd-servers=${cluster.endpoints.join(',')}`], members: cluster.members, stop: cluster.stop };
  },
  postgres: () => startSqlStore('postgres'),
  mysql: () => startSqlStore('mysql'),
};

async function startSqlStore(kind: DatabaseKind): Promise<SharedStore> {
  const database = await startDatabase(kind);
  const args = [`--storage=${kind}`, `--storage-dsn=${database.dsn}`];
  return { args, members: [database], stop: () => database.stop() };
}

const missing: Readonly<Record<string, unknown>> = { etcd: etcdMissing, ...databaseMissing };

const seconds = Number(process.env.REPLICAS_SECONDS ?? 8);
const maxDownMs = isLong ? 2_000 : 300;

let store: SharedStore | undefined;
let replicas: Replicas | undefined;
let trial: HistoryTrial | undefined;

afterEach(async () => {
  await trial?.abandon();
  await replicas?.close();
  await store?.stop();
});

/** Kills a server, shuts one down, kills a member of the store, or kills a server and a member at the same time. */
async function disturb({ members: servers }: Replicas, { members }: SharedStore, random: Random): Promise<void> {
  const server = servers[random(servers.length)];
  const member = members[random(members.length)];
  const choice = random(4);
  const downMs = random(maxDownMs);
  if (choice === 1) {
    expect(await server?.stop()).toBe(0);
    await server?.start();
    return;
  }
  const killed = [...(choice !== 2 ? [server] : []), ...(choice !== 0 ? [member] : [])];
  await Promise.all(killed.map((each) => each?.kill()));
  await pause(downMs);
  await Promise.all(killed.map((each) => each?.start()));
}

describe.skipIf(notBuilt || Boolean(missing[storage]))(`three replicas on ${storage}, under random kills`, () => {
  it('behave as one server', { timeout: 120_000 + seconds * 3_000 }, async () => {
    const random = seeded(seed);
    store = await (stores[storage] as () => Promise<SharedStore>)();
    replicas = await startReplicas({ count: 3, args: store.args, quiet: true });
    trial = new HistoryTrial(replicas.kubeconfig, random);
    await trial.begin(16);
    const began = performance.now();
    let disturbances = 0;
    const stopProgress = showProgress(() => `${disturbances} disturbances; ${trial?.summary}`);
    try {
      while (performance.now() - began < seconds * 1000 || disturbances < 3) {
        await trial.progress(30);
        await disturb(replicas, store, random);
        disturbances++;
      }
      await trial.progress(30);
      await trial.concludeAndCheck();
    } finally {
      stopProgress();
    }
    console.log(
      `replicas (${storage}): ${disturbances} disturbances in ${clock(performance.now() - began).trim()}; ${trial.summary}; seed ${seed}`,
    );
    expect(trial.log.count('acknowledged')).toBeGreaterThan(disturbances * 30);
    trial = undefined;
  });
});
