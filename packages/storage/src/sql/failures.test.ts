import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databaseMissing, type RunningDatabase, startDatabase } from '../../../../tests/support/databases.ts';
import { runSql } from '../../../../tests/support/sql-stores.ts';
import { openMysql } from '../mysql/index.ts';
import { openPostgres } from '../postgres/index.ts';
import { type Store, Unavailable } from '../store.ts';

const kinds = { postgres: openPostgres, mysql: openMysql };
const PREFIX = '/registry/load/';

for (const [kind, open] of Object.entries(kinds) as [keyof typeof kinds, typeof openPostgres][]) {
  describe.skipIf(databaseMissing[kind])(`failures of ${kind}`, () => {
    let database: RunningDatabase;
    const stores: Store[] = [];
    const start = async (options: { timeoutMs?: number } = {}) => {
      const store = await open({ dsn: database.dsn, ...options });
      stores.push(store);
      return store;
    };
    beforeAll(async () => {
      database = await startDatabase(kind);
    });
    afterEach(async () => {
      for (const store of stores.splice(0)) await store.close();
    });
    afterAll(() => database?.stop());

    it('keeps acknowledged writes and resumes watches when the database is killed twice', async () => {
      const [writer, peer] = [await start(), await start()];
      const load = await Load.start([writer, peer]);
      for (let crash = 0; crash < 2; crash++) {
        await load.acknowledged(200);
        await database.kill();
        await pause(50);
        await database.start();
      }
      await load.acknowledged(200);
      await load.finishAndCheck();
    });

    it('determines the outcome of commits whose connection was cut', async () => {
      const store = await start();
      const load = await Load.start([store]);
      for (let cut = 0; cut < 15; cut++) {
        await load.acknowledged(20);
        await cutConnections(kind, database.dsn);
      }
      await load.acknowledged(20);
      const { unknown } = await load.finishAndCheck();
      expect(unknown).toBe(0);
    });

    it('reports writes as unwritten while the database is down, and serves once it is back', async () => {
      const store = await start({ timeoutMs: 500 });
      await store.create(`${PREFIX}a-${kind}`, Buffer.from('1'));
      await database.kill();
      const lost = { name: 'Unavailable', unwritten: true };
      await expect(store.create(`${PREFIX}b-${kind}`, Buffer.from('1'))).rejects.toMatchObject(lost);
      await expect(store.ping()).rejects.toThrow(/PostgreSQL|MySQL/);
      await expect(store.get(`${PREFIX}a-${kind}`)).rejects.toThrow(Unavailable);
      await database.start();
      await expect.poll(() => store.get(`${PREFIX}a-${kind}`).then((entry) => entry?.value.toString(), String)).toBe('1');
      expect(await store.get(`${PREFIX}b-${kind}`)).toBeUndefined();
      await store.create(`${PREFIX}c-${kind}`, Buffer.from('1'));
      await store.ping();
    });

    it('continues after another session has locked the revision row', async () => {
      const store = await start();
      await store.create(`${PREFIX}lock-${kind}`, Buffer.from('1'));
      const holder = runSql(kind, database.dsn, lockForAWhile[kind]);
      await pause(100);
      const { revision } = await store.create(`${PREFIX}locked-${kind}`, Buffer.from('1'));
      await holder;
      expect((await store.get(`${PREFIX}locked-${kind}`))?.revision).toBe(revision);
    });

    it('does not serve a state that the database has lost', async () => {
      const store = await start();
      const before = await store.create(`${PREFIX}before-${kind}`, Buffer.from('1'));
      const { revision } = await store.create(`${PREFIX}lost-${kind}`, Buffer.from('1'));
      const watch = store.watch('/', revision + 1, AbortSignal.timeout(20_000))[Symbol.asyncIterator]();
      await watch.next();
      await runSql(kind, database.dsn, rewind(before.revision));
      await expect(watch.next()).rejects.toMatchObject({ name: 'Compacted' });
      expect(await store.get(`${PREFIX}lost-${kind}`)).toBeUndefined();
      // Revisions are not reused, and clients that have seen lost ones list again.
      expect(await store.revision()).toBeGreaterThan(revision);
      const again = store.watch('/', revision, AbortSignal.timeout(20_000))[Symbol.asyncIterator]();
      await expect(again.next()).rejects.toMatchObject({ name: 'Compacted' });
      await store.create(`${PREFIX}lost-${kind}`, Buffer.from('2'));
    });

    it('never answers with an older state than before', async () => {
      const store = await start();
      const before = await store.create(`${PREFIX}older-${kind}`, Buffer.from('1'));
      const { revision } = await store.create(`${PREFIX}newer-${kind}`, Buffer.from('1'));
      await runSql(kind, database.dsn, rewind(before.revision));
      const [state, page] = await Promise.all([store.revision(), store.list('/')]);
      for (const shown of [state, page.revision]) expect(shown).toBeGreaterThan(revision);
    });

    it('notices lost revisions although others have been written in their place', async () => {
      const store = await start();
      const { revision } = await store.create(`${PREFIX}replaced-${kind}`, Buffer.from('1'));
      const watch = store.watch('/', revision + 1, AbortSignal.timeout(20_000))[Symbol.asyncIterator]();
      await watch.next();
      await runSql(kind, database.dsn, replaceHistory(revision));
      await expect(watch.next()).rejects.toMatchObject({ name: 'Compacted' });
      expect(await store.revision()).toBeGreaterThan(revision + 1_000);
    });
  });
}

const lockForAWhile = {
  postgres: 'BEGIN; SELECT * FROM tsukube_revision FOR UPDATE; SELECT pg_sleep(1); COMMIT',
  mysql: 'START TRANSACTION; SELECT * FROM tsukube_revision FOR UPDATE; DO SLEEP(1); COMMIT',
};

/** Simulates a failover to a standby that lagged behind. */
function rewind(newest: number): string {
  return `BEGIN; DELETE FROM tsukube_changes WHERE revision > ${newest}; DELETE FROM tsukube_objects WHERE revision > ${newest};
    UPDATE tsukube_revision SET newest = ${newest}; COMMIT`;
}

/** The newest revision and the next one are of transactions that the store has not seen. */
function replaceHistory(newest: number): string {
  return `BEGIN; UPDATE tsukube_changes SET commit_id = 7 WHERE revision = ${newest};
    INSERT INTO tsukube_changes (revision, object_key, deleted, previous, created, size, value, written, commit_id, parent_id)
    SELECT ${newest + 1}, object_key, deleted, revision, created, size, value, written, 8, 7 FROM tsukube_changes WHERE revision = ${newest};
    UPDATE tsukube_objects SET revision = ${newest + 1} WHERE revision = ${newest};
    UPDATE tsukube_revision SET newest = ${newest + 1}, commit_id = 8; COMMIT`;
}

async function cutConnections(kind: keyof typeof kinds, dsn: string): Promise<void> {
  if (kind === 'postgres') {
    await runSql(kind, dsn, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tsukube'`);
    return;
  }
  const rows = await runSql(kind, dsn, 'SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID()');
  for (const { id } of rows) await runSql(kind, dsn, `KILL ${id}`).catch(() => {});
}

/** Writers that keep creating keys, and a watcher per store that records what it sees. */
class Load {
  readonly #stores: readonly Store[];
  readonly #start: number;
  readonly #stop = new AbortController();
  readonly #acknowledged = new Map<string, number>();
  readonly #unwritten = new Set<string>();
  #unknown = 0;
  readonly #watched: Map<number, string>[];
  readonly #writing: Promise<unknown>;
  readonly #watching: Promise<unknown>;

  static async start(stores: readonly [Store, ...Store[]]): Promise<Load> {
    return new Load(stores, await stores[0].revision());
  }

  private constructor(stores: readonly Store[], start: number) {
    this.#stores = stores;
    this.#start = start;
    this.#watched = stores.map(() => new Map<number, string>());
    this.#writing = Promise.all(Array.from({ length: 8 }, (_, i) => this.#write(stores[i % stores.length] as Store, i)));
    this.#watching = Promise.all(stores.map((store, i) => this.#watch(store, this.#watched[i] as Map<number, string>)));
  }

  /** Resolves after `more` further writes have been acknowledged. */
  async acknowledged(more: number): Promise<void> {
    for (const goal = this.#acknowledged.size + more; this.#acknowledged.size < goal; await pause(5));
  }

  async finishAndCheck(): Promise<{ readonly unknown: number }> {
    this.#stop.abort();
    await this.#writing;
    const store = this.#stores[0] as Store;
    const { entries, revision } = await store.list(PREFIX);
    const stored = new Map(entries.filter((entry) => entry.revision > this.#start).map((entry) => [entry.revision, entry.key]));
    for (const [key, written] of this.#acknowledged) expect(stored.get(written)).toBe(key);
    for (const { key } of entries) expect(this.#unwritten.has(key)).toBe(false);
    expect(stored.size).toBe(revision - this.#start);
    await store.create(`${PREFIX}end-${revision}`, Buffer.from(''));
    await this.#watching;
    for (const seen of this.#watched) expect([...seen]).toEqual([...stored].sort(([a], [b]) => a - b));
    return { unknown: this.#unknown };
  }

  async #write(store: Store, writer: number): Promise<void> {
    for (let i = 0; !this.#stop.signal.aborted; i++) {
      const key = `${PREFIX}${this.#start}-${writer}-${i}`;
      const outcome = await store.create(key, Buffer.from(key)).catch((error: unknown) => error as Unavailable);
      if ('revision' in outcome) this.#acknowledged.set(key, outcome.revision);
      else {
        expect(outcome).toBeInstanceOf(Unavailable);
        if (outcome.unwritten) this.#unwritten.add(key);
        else this.#unknown++;
        await pause(5);
      }
    }
  }

  async #watch(store: Store, seen: Map<number, string>): Promise<void> {
    let last = this.#start;
    for await (const { changes } of store.watch('/', this.#start + 1, new AbortController().signal)) {
      for (const { entry } of changes) {
        expect(entry.revision).toBe(++last);
        if (entry.key.startsWith(`${PREFIX}end-`)) return;
        seen.set(entry.revision, entry.key);
      }
    }
  }
}
