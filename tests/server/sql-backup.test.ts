import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';
import {
  clientEnvironment,
  databaseMissing,
  databasePassword,
  databaseUser,
  type RunningDatabase,
  startDatabase,
} from '../support/databases.ts';
import { configMap, newNamespace, own } from '../support/server.ts';
import { runSql } from '../support/sql-stores.ts';

/** The code blocks of docs/operations.md about backups: commands for PostgreSQL, for MySQL, and statements after a restore. */
const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('**Backup** while servers run'));
const [forPostgres = '', forMysql = '', afterRestore = ''] = [...section.matchAll(/```\w+\n([^`]*)```/g)].map(([, code]) => code);
const commands = { postgres: forPostgres.trim().split('\n'), mysql: forMysql.trim().split('\n') };
const programs = { postgres: 'pg_dump', mysql: 'mariadb-dump' };

for (const kind of ['postgres', 'mysql'] as const) {
  const env = clientEnvironment(kind, programs[kind]);
  describe.skipIf(databaseMissing[kind] || !env)(`a backup of ${kind}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'tsukube-sql-backup-'));
    const [save, restore] = commands[kind] as [string, string];
    let database: RunningDatabase;
    let server: RunningServer;
    let client: Client;
    const open = async () => {
      const dataDir = join(folder, 'server');
      server = await startServer({ storage: kind, storageDsn: database.dsn, securePort: 0, dataDir });
      client = clientFor(server.kubeconfig);
    };
    const close = async () => {
      client.close();
      await server.close();
    };
    const shell = (command: string) => {
      const options = { cwd: folder, env: { ...env, HOME: folder, DSN: database.dsn }, encoding: 'utf8' } as const;
      const { status, stderr } = spawnSync('sh', ['-c', command], options);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    };
    const names = async (path: string) =>
      (await client.get(`${path}?${own}`)).body.items.map(({ metadata }: Any) => metadata.name);

    beforeAll(async () => {
      database = await startDatabase(kind);
      const login = `[client]\nhost=127.0.0.1\nport=${database.port}\nuser=${databaseUser}\npassword=${databasePassword}\n`;
      writeFileSync(join(folder, '.my.cnf'), login);
      await open();
    });
    afterAll(async () => {
      await close();
      await database?.stop();
      rmSync(folder, { recursive: true });
    });

    it('is made without stopping, and restored: nothing of later is shown, and clients list again', async () => {
      const path = await newNamespace(client);
      await client.send('POST', path, configMap('kept'));
      const deleted = (await client.send('POST', path, configMap('deleted'))).body;
      shell(save);
      const later = (await client.send('POST', path, configMap('later'))).body;
      await client.send('DELETE', `${path}/deleted`);
      const seen = (await client.get(path)).body.metadata.resourceVersion;
      const watch = await client.watch(`${path}?watch=1&resourceVersion=${seen}`);

      if (kind === 'mysql') await close();
      shell(restore);
      if (kind === 'mysql') {
        await runSql(kind, database.dsn, afterRestore);
        await open();
      } else {
        const [end] = await watch.take(1, 20_000);
        expect(end === undefined || end.object.code === 410).toBe(true);
      }

      expect(await names(path)).toEqual(['deleted', 'kept']);
      expect((await client.get(`${path}/deleted`)).body).toEqual(deleted);
      expect(Number((await client.get(path)).body.metadata.resourceVersion)).toBeGreaterThan(Number(seen) + 100_000);
      const stale = await client.get(`${path}?watch=1&resourceVersion=${later.metadata.resourceVersion}`);
      expect(stale.text).toContain('"code":410');
      expect((await client.send('POST', path, configMap('after'))).status).toBe(201);
      expect(await names(path)).toEqual(['after', 'deleted', 'kept']);
    });
  });
}
