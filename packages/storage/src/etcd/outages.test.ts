import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type EtcdMember, etcdMissing, startEtcd, startEtcdCluster } from '../../../../tests/support/etcd.ts';
import { type Store, Unavailable } from '../store.ts';
import { openEtcd } from './index.ts';

const PREFIX = '/registry/load/';

const disposals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

describe.skipIf(etcdMissing)('when etcd is killed', () => {
  it('keeps acknowledged writes and resumes watches across two crashes', async () => {
    const etcd = await startEtcd();
    const store = await open([etcd.endpoint], etcd.stop);
    const load = await Load.start(store, { writers: 8, watchers: 2 });
    for (let crash = 0; crash < 2; crash++) {
      await load.acknowledged(300);
      await etcd.kill();
      await pause(100);
      await etcd.start();
    }
    await load.acknowledged(300);
    await load.finishAndCheck();
  });

  it('continues when the leader of three members is killed', async () => {
    const { members, endpoints, stop } = await startEtcdCluster(3);
    const store = await open(endpoints, stop, 3_000);
    const load = await Load.start(store, { writers: 16, watchers: 2 });
    await load.acknowledged(500);
    await (await leaderOf(members)).kill();
    await load.acknowledged(1000);
    await load.finishAndCheck();
  });

  it('answers reads once etcd is back, and reports writes as unwritten', async () => {
    const etcd = await startEtcd();
    const store = await open([etcd.endpoint], etcd.stop, 500);
    await store.create(`${PREFIX}a`, Buffer.from('1'));
    await etcd.kill();
    await expect(store.ping()).rejects.toThrow(Unavailable);
    await expect(store.create(`${PREFIX}b`, Buffer.from('1'))).rejects.toMatchObject({ name: 'Unavailable', unwritten: true });
    await etcd.start();
    await expect.poll(() => store.ping().then(() => 'up', String)).toBe('up');
    expect((await store.get(`${PREFIX}a`))?.value.toString()).toBe('1');
    expect(await store.get(`${PREFIX}b`)).toBeUndefined();
  });
});

async function open(endpoints: readonly string[], stop: () => Promise<void>, timeoutMs?: number): Promise<Store> {
  const store = await openEtcd({ endpoints, timeoutMs });
  disposals.push(stop, () => store.close());
  return store;
}

async function leaderOf(members: readonly EtcdMember[]): Promise<EtcdMember> {
  for (const member of members) if (await member.isLeader()) return member;
  throw new Error('there is no leader');
}

/** Writers that keep creating keys, and watchers that record what they see. */
class Load {
  readonly #store: Store;
  readonly #start: number;
  readonly #stop = new AbortController();
  readonly #acknowledged = new Map<string, number>();
  readonly #unwritten = new Set<string>();
  readonly #watched: Map<number, string>[];
  #writing: Promise<unknown>;
  #watching: Promise<unknown>;

  static async start(store: Store, size: { readonly writers: number; readonly watchers: number }): Promise<Load> {
    const load = new Load(store, await store.revision(), size);
    disposals.push(async () => load.#stop.abort());
    return load;
  }

  private constructor(
    store: Store,
    start: number,
    { writers, watchers }: { readonly writers: number; readonly watchers: number },
  ) {
    this.#store = store;
    this.#start = start;
    this.#watched = Array.from({ length: watchers }, () => new Map<number, string>());
    this.#writing = Promise.all(Array.from({ length: writers }, (_, writer) => this.#write(writer)));
    this.#watching = Promise.all(this.#watched.map((seen) => this.#watch(seen)));
  }

  /** Resolves after `more` further writes have been acknowledged. */
  async acknowledged(more: number): Promise<void> {
    for (const goal = this.#acknowledged.size + more; this.#acknowledged.size < goal; await pause(5));
  }

  async finishAndCheck(): Promise<void> {
    this.#stop.abort();
    await this.#writing;
    const { entries, revision } = await this.#store.list(PREFIX);
    const stored = new Map(entries.map((entry) => [entry.revision, entry.key]));
    for (const [key, written] of this.#acknowledged) expect(stored.get(written)).toBe(key);
    for (const { key } of entries) expect(this.#unwritten.has(key)).toBe(false);
    expect(stored.size).toBe(revision - this.#start);
    await this.#store.create(`${PREFIX}end`, Buffer.from(''));
    await this.#watching;
    for (const seen of this.#watched) expect([...seen]).toEqual([...stored].sort(([a], [b]) => a - b));
  }

  async #write(writer: number): Promise<void> {
    for (let i = 0; !this.#stop.signal.aborted; i++) {
      const key = `${PREFIX}${writer}-${i}`;
      const outcome = await this.#store.create(key, Buffer.from(key)).catch((error: unknown) => error as Unavailable);
      if ('revision' in outcome) this.#acknowledged.set(key, outcome.revision);
      else {
        expect(outcome).toBeInstanceOf(Unavailable);
        if (outcome.unwritten) this.#unwritten.add(key);
        await pause(5);
      }
    }
  }

  async #watch(seen: Map<number, string>): Promise<void> {
    let last = this.#start;
    for await (const { changes } of this.#store.watch(PREFIX, this.#start + 1, new AbortController().signal)) {
      for (const { entry } of changes) {
        expect(entry.revision).toBe(++last);
        if (entry.key === `${PREFIX}end`) return;
        seen.set(entry.revision, entry.key);
      }
    }
  }
}
