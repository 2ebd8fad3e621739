import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMysql } from '@tsukube/storage/mysql';
import { openPostgres } from '@tsukube/storage/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificate } from '../support/certificates.ts';
import { databaseMissing, type RunningDatabase, startDatabase } from '../support/databases.ts';

const open = { postgres: openPostgres, mysql: openMysql };

for (const kind of ['postgres', 'mysql'] as const) {
  describe.skipIf(databaseMissing[kind])(`TLS to ${kind}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'tsukube-sql-tls-'));
    const ca = certificate('database CA', { for: 'authority' });
    const server = certificate('database', { for: 'server', hosts: ['localhost'] }, { issuer: ca });
    const client = certificate('tsukube', { for: 'client' }, { issuer: ca });
    const stranger = certificate('other CA', { for: 'authority' });
    const files = { ca: join(folder, 'ca.crt'), cert: join(folder, 'server.crt'), key: join(folder, 'server.key') };
    let database: RunningDatabase;
    const dsn = () => database.dsn.replace('127.0.0.1', 'localhost');

    beforeAll(async () => {
      writeFileSync(files.ca, ca.pem);
      writeFileSync(files.cert, server.pem);
      writeFileSync(files.key, server.key);
      database = await startDatabase(kind, { tls: files });
    });
    afterAll(async () => {
      await database?.stop();
      rmSync(folder, { recursive: true });
    });

    it('verifies the server and presents a client certificate', async () => {
      const store = await open[kind]({ dsn: dsn(), tls: { ca: files.ca, cert: client.pem, key: client.key } });
      const { revision } = await store.create('/registry/a', Buffer.from('1'));
      expect((await store.get('/registry/a'))?.revision).toBe(revision);
      await store.close();
    });

    it('refuses a server of another CA', async () => {
      const tls = { ca: stranger.pem, cert: client.pem, key: client.key };
      await expect(open[kind]({ dsn: dsn(), tls, timeoutMs: 1_000 })).rejects.toThrow(/certificate|self-signed/);
    });

    it('does not connect in plain text to a server that demands TLS', async () => {
      await expect(open[kind]({ dsn: `${dsn()}?sslmode=disable`, timeoutMs: 1_000 })).rejects.toThrow(/cannot connect to/);
    });
  });
}
