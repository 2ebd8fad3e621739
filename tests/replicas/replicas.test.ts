import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { isLong } from '../support/progress.ts';
import { type Random, seeded } from '../support/random.ts';
import { type Replicas, startReplicas } from '../support/replicas.ts';
import { notBuilt } from '../support/server-process.ts';
import { type SharedStore, type SharedStoreKind, sharedStoreMissing, startSharedStore } from '../support/shared-store.ts';
import { HistoryTrial } from './history-trial.ts';

const seed = Number(process.env.REPLICAS_SEED ?? 1);
const storage = (process.env.REPLICAS_STORAGE ?? 'etcd') as SharedStoreKind;
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

/** Kills a server, shuts one down, kills a member of the store, or kills a server and a member at the same time. At most one member is down. */
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

describe.skipIf(notBuilt || Boolean(sharedStoreMissing[storage]))(`three replicas on ${storage}, under random kills`, () => {
  it('behave as one server', { timeout: 120_000 + seconds * 3_000 }, async () => {
    const random = seeded(seed);
    store = await startSharedStore(storage, 3);
    replicas = await startReplicas({ count: 3, args: store.args, quiet: true });
    trial = new HistoryTrial(replicas.kubeconfig, random);
    await trial.begin(16);
    const [servers, database] = [replicas, store];
    const summary = await trial.run(seconds, 30, () => disturb(servers, database, random));
    console.log(`replicas (${storage}): ${summary}; seed ${seed}`);
    trial = undefined;
  });
});
