import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import {
  type DatabaseKind,
  databaseMissing,
  databasePassword,
  type RunningDatabase,
  startDatabase,
} from '../support/databases.ts';
import { configMap, newNamespace } from '../support/server.ts';
import { runSql } from '../support/sql-stores.ts';

const encryption = {
  kind: 'EncryptionConfiguration',
  apiVersion: 'apiserver.config.k8s.io/v1',
  resources: [
    {
      resources: ['secrets'],
      providers: [{ secretbox: { keys: [{ name: 'k', secret: Buffer.alloc(32, 7).toString('base64') }] } }],
    },
  ],
};

const selectLabels: Readonly<Record<DatabaseKind, string>> = {
  postgres: `labels->>'app' = 'web'`,
  mysql: `JSON_VALUE(labels, '$.app') = 'web'`,
};

for (const kind of ['postgres', 'mysql'] as const) {
  describe.skipIf(databaseMissing[kind])(`two servers with --storage ${kind}`, () => {
    const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'tsukube-sql-')));
    let database: RunningDatabase;
    let servers: RunningServer[] = [];
    let one: Client;
    let other: Client;

    beforeAll(async () => {
      database = await startDatabase(kind);
      const encryptionProviderConfig = join(folders[0] as string, 'encryption.json');
      writeFileSync(encryptionProviderConfig, JSON.stringify(encryption));
      const options = { storage: kind, storageDsn: database.dsn, encryptionProviderConfig, securePort: 0 };
      servers = await Promise.all(folders.map((dataDir) => startServer({ ...options, dataDir })));
      [one, other] = servers.map((server) => clientFor(server.kubeconfig)) as [Client, Client];
    });

    afterAll(async () => {
      for (const client of [one, other]) client?.close();
      await Promise.all(servers.map((server) => server.close()));
      await database?.stop();
      for (const folder of folders) rmSync(folder, { recursive: true });
    });

    it('see each other’s writes immediately', async () => {
      const path = await newNamespace(one);
      for (let i = 0; i < 20; i++) {
        const [writer, reader] = i % 2 ? [one, other] : [other, one];
        const { body } = await writer.send('POST', path, configMap(`c${i}`));
        expect((await reader.get(`${path}/c${i}`)).body).toEqual(body);
        const { items } = (await reader.get(path)).body;
        expect(items.map((item: { metadata: { name: string } }) => item.metadata.name)).toContain(`c${i}`);
      }
    });

    it('share revisions, so that a watch can resume on the other', async () => {
      const path = await newNamespace(one);
      const first = (await one.send('POST', path, configMap('a'))).body.metadata.resourceVersion;
      const watch = await other.watch(`${path}?watch=1&resourceVersion=${first}`);
      await one.send('POST', path, configMap('b'));
      await other.send('PUT', `${path}/a`, configMap('a', {}, { n: '1' }));
      const seen: string[] = [];
      while (seen.length < 2) {
        const { type, object } = await watch.next();
        if (object.metadata.name !== 'kube-root-ca.crt') seen.push(`${type} ${object.metadata.name}`);
      }
      expect(seen).toEqual(['ADDED b', 'MODIFIED a']);
      watch.close();
    });

    it('lose no concurrent update of an object', async () => {
      const path = await newNamespace(one);
      await one.send('POST', path, configMap('a'));
      const headers = { 'content-type': 'application/merge-patch+json' };
      const patch = (client: Client, key: string) => client.send('PATCH', `${path}/a`, { data: { [key]: 'v' } }, headers);
      await Promise.all(Array.from({ length: 20 }, (_, i) => patch(i % 2 ? one : other, `k${i}`)));
      expect(Object.keys((await one.get(`${path}/a`)).body.data)).toHaveLength(20);
    });

    it('show live objects to an administrator, by kind, namespace, name and labels', async () => {
      const path = await newNamespace(one);
      const namespace = path.split('/')[4] as string;
      await one.send('POST', path, configMap('labelled', { app: 'web' }, { k: 'v' }));
      await one.send('POST', path, configMap('plain'));
      const where = `kind = 'ConfigMap' AND namespace = '${namespace}'`;
      const names = await runSql(kind, database.dsn, `SELECT name FROM tsukube_live WHERE ${where} ORDER BY name`);
      expect(names.map(({ name }) => name).filter((name) => name !== 'kube-root-ca.crt')).toEqual(['labelled', 'plain']);
      const [row] = await runSql(
        kind,
        database.dsn,
        `SELECT object_key, api_version, object FROM tsukube_live WHERE ${where} AND ${selectLabels[kind]}`,
      );
      expect(row).toMatchObject({ object_key: `/registry/configmaps/${namespace}/labelled`, api_version: 'v1' });
      const object = typeof row?.object === 'string' ? JSON.parse(row.object) : row?.object;
      expect(object).toMatchObject({ kind: 'ConfigMap', data: { k: 'v' } });
    });

    it('answer the queries of docs/storage.md', async () => {
      const page = readFileSync(new URL('../../docs/storage.md', import.meta.url), 'utf8');
      const [, block = ''] = /```sql\n([^`]*)```/.exec(page) ?? [];
      const query = block
        .split(';')
        .find((each, i, all) => all[i + 1]?.includes(kind === 'postgres' ? 'PostgreSQL' : 'MySQL') && each);
      const path = `/apis/apps/v1/namespaces/${(await newNamespace(one)).split('/')[4]}/deployments`;
      const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
      const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', labels: { app: 'web' } }, spec };
      expect((await one.send('POST', path, deployment)).status).toBe(201);
      const rows = await runSql(kind, database.dsn, (query as string).replace(/^.*--.*$/m, ''));
      expect(rows.map((row) => Object.values(row).slice(1))).toEqual([['d', '3']]);
    });

    it('show nothing of encrypted objects but their keys', async () => {
      const path = (await newNamespace(one)).replace(/configmaps$/, 'secrets');
      const secret = { ...configMap('hidden', { app: 'web' }), kind: 'Secret', data: { k: 'c2VjcmV0' } };
      expect((await one.send('POST', path, secret)).status).toBe(201);
      expect((await other.get(`${path}/hidden`)).body.data).toEqual({ k: 'c2VjcmV0' });
      const [row] = await runSql(kind, database.dsn, `SELECT * FROM tsukube_live WHERE object_key LIKE '%/hidden'`);
      expect(row).toMatchObject({ api_version: null, kind: null, namespace: null, name: null, labels: null, object: null });
    });

    it('do not show the password in /flagz', async () => {
      const { text } = await one.get('/flagz');
      expect(text).toContain('storage-dsn=[REDACTED]');
      expect(text).not.toContain(encodeURIComponent(databasePassword));
    });

    it('are ready', async () => {
      expect((await one.get('/readyz')).text).toBe('ok');
    });
  });
}
