import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type RunningServer, startServer } from '@tsukube/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';
import { databaseMissing, type RunningDatabase, startDatabase, startStandby } from '../support/databases.ts';
import { configMap, newNamespace, own } from '../support/server.ts';
import { runSql } from '../support/sql-stores.ts';

describe.skipIf(databaseMissing.postgres)('a failover of PostgreSQL to its standby', () => {
  let primary: RunningDatabase;
  let standby: RunningDatabase;
  let dataDirs: string[];
  let servers: RunningServer[];
  let one: Client;
  let other: Client;

  beforeEach(async () => {
    primary = await startDatabase('postgres');
    standby = await startStandby(primary);
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
    const storageDsn = primary.dsn.replace(`127.0.0.1:${primary.port}`, hosts);
    dataDirs = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'tsukube-failover-')));
    const start = (dataDir: string) => startServer({ storage: 'postgres', storageDsn, securePort: 0, dataDir });
    servers = await Promise.all(dataDirs.map(start));
    [one, other] = servers.map(({ kubeconfig }) => clientFor(kubeconfig)) as [Client, Client];
  });
  afterEach(async () => {
    for (const client of [one, other]) client.close();
    await Promise.all(servers.map((server) => server.close()));
    await Promise.all([primary.stop(), standby.stop()]);
    for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true });
  });

  const promote = () => runSql('postgres', standby.dsn, 'SELECT pg_promote()');

  it('with synchronous replication: loses nothing, and watches go on', { timeout: 60_000 }, async () => {
    await runSql('postgres', primary.dsn, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await runSql('postgres', primary.dsn, 'SELECT pg_reload_conf()');
    const path = await newNamespace(one);
    const { resourceVersion } = (await other.get(path)).body.metadata;
    const watches = await Promise.all(
      [one, other].map((client) => client.watch(`${path}?watch=1&${own}&resourceVersion=${resourceVersion}`)),
    );
    const writers = [0, 1, 2, 3].map((i) => new Writer(i % 2 ? one : other, path, i));
    await Promise.all(writers.map((writer) => writer.acknowledged(10)));
    await primary.kill();
    const health = async () => (await one.get('/readyz/etcd')).text;
    await expect.poll(health, { timeout: 25_000 }).toMatch(/ECONNREFUSED.*; .*read-only \(a standby\)/);
    await promote();
    await Promise.all(writers.map((writer) => writer.acknowledged(10)));
    await Promise.all(writers.map((writer) => writer.stop()));
    await expect.poll(async () => (await one.get('/readyz')).text, { timeout: 20_000 }).toBe('ok');

    const { items } = (await one.get(`${path}?${own}`)).body;
    const stored = versionsOf(items);
    for (const [name, version] of writers.flatMap((writer) => [...writer.versions])) expect(stored.get(name)).toBe(version);
    for (const watch of watches) {
      const events = await watch.take(items.length);
      expect(events.map(({ type }: Any) => type)).toEqual(items.map(() => 'ADDED'));
      expect(versionsOf(events.map(({ object }: Any) => object))).toEqual(stored);
      watch.close();
    }
  });

  it('that has lost writes: ends watches and never shows lost objects or older versions', { timeout: 60_000 }, async () => {
    const path = await newNamespace(one);
    const kept = (await one.send('POST', path, configMap('kept'))).body;
    await expect.poll(() => countOnStandby(standby, 'kept')).toBe(1);
    await runSql('postgres', standby.dsn, `ALTER SYSTEM SET primary_conninfo = ''`);
    await runSql('postgres', standby.dsn, 'SELECT pg_reload_conf()');
    await expect.poll(() => runSql('postgres', primary.dsn, 'SELECT * FROM pg_stat_replication')).toEqual([]);
    const lost = (await one.send('POST', path, configMap('lost'))).body;
    const watch = await other.watch(`${path}?watch=1&${own}&resourceVersion=${kept.metadata.resourceVersion}`);
    expect((await watch.next()).object.metadata.name).toBe('lost');

    await primary.kill();
    await promote();
    await expect.poll(async () => (await one.send('POST', path, configMap('after'))).status, { timeout: 20_000 }).toBe(201);
    for (const client of [one, other]) {
      const { items, metadata } = (await client.get(`${path}?${own}`)).body;
      expect(items.map((item: Any) => item.metadata.name)).toEqual(['after', 'kept']);
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(lost.metadata.resourceVersion));
      expect((await client.get(`${path}/lost`)).status).toBe(404);
      expect((await client.get(`${path}/kept`)).body.metadata).toEqual(kept.metadata);
    }
    await expect
      .poll(async () => (await watch.take(1, 10_000))[0]?.object.code ?? 'ended')
      .toSatisfy((end) => [410, 'ended'].includes(end));
    const stale = await one.get(`${path}?watch=1&resourceVersion=${lost.metadata.resourceVersion}`);
    expect(stale.text).toContain('"code":410');
  });
});

function versionsOf(objects: readonly Any[]): Map<string, string> {
  return new Map(objects.map(({ metadata }: Any) => [metadata.name, metadata.resourceVersion]));
}

async function countOnStandby({ dsn }: RunningDatabase, name: string): Promise<number> {
  const rows = await runSql('postgres', dsn, `SELECT 1 FROM tsukube_objects WHERE name = '${name}'`);
  return rows.length;
}

/** Creates ConfigMaps, one after another, each until it is acknowledged or found. */
class Writer {
  /** Acknowledged ConfigMaps. */
  readonly versions = new Map<string, string>();
  readonly #client: Client;
  readonly #path: string;
  readonly #running: Promise<void>;
  #stopped = false;

  constructor(client: Client, path: string, id: number) {
    this.#client = client;
    this.#path = path;
    this.#running = this.#run(id);
  }

  async acknowledged(more: number): Promise<void> {
    for (const goal = this.versions.size + more; this.versions.size < goal; await pause(10));
  }

  stop(): Promise<void> {
    this.#stopped = true;
    return this.#running;
  }

  async #run(id: number): Promise<void> {
    for (let i = 0; !this.#stopped; i++) {
      const name = `w${id}-${i}`;
      const reply = await this.#client.send('POST', this.#path, configMap(name)).catch(() => undefined);
      if (reply?.status === 201) this.versions.set(name, reply.body.metadata.resourceVersion);
      else await pause(20);
    }
  }
}
