import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { type DatabaseKind, databaseMissing, type RunningDatabase, startDatabase } from '../support/databases.ts';
import { configMap, newNamespace } from '../support/server.ts';
import { runSql } from '../support/sql-stores.ts';

describe.each<DatabaseKind>(['postgres', 'mysql'])('two servers on one database: %s', (kind) => {
  const dataDirs = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'tsukube-sql-')));
  let database: RunningDatabase;
  let servers: RunningServer[] = [];
  let one: Client;
  let other: Client;

  beforeAll(async (context) => {
    if (databaseMissing[kind]) return context.skip?.(databaseMissing[kind]);
    database = await startDatabase(kind);
    const options = { storage: kind, storageDsn: database.dsn, securePort: 0 };
    servers = await Promise.all(dataDirs.map((dataDir) => startServer({ ...options, dataDir })));
    [one, other] = servers.map((server) => clientFor(server.kubeconfig)) as [Client, Client];
  });

  afterAll(async () => {
    for (const client of [one, other]) client?.close();
    await Promise.all(servers.map((server) => server.close()));
    await database?.stop();
    for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true });
  });

  it('see each other’s writes immediately', async () => {
    const path = await newNamespace(one);
    for (let i = 0; i < 30; i++) {
      const [writer, reader] = i % 2 ? [one, other] : [other, one];
      const { body } = await writer.send('POST', path, configMap(`c${i}`));
      expect((await reader.get(`${path}/c${i}`)).body).toEqual(body);
      const { items } = (await reader.get(path)).body;
      expect(items.map((item: { metadata: { name: string } }) => item.metadata.name)).toContain(`c${i}`);
    }
  });
});
