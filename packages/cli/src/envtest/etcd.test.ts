import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataDirHeader, readEtcdSettings, startStandIn } from './etcd.ts';

describe('the stand-in for etcd', () => {
  const settings = (argv: string[], env = {}) => {
    const { dataDir, clientUrls } = readEtcdSettings(argv, env);
    return { dataDir, urls: clientUrls.map(({ href }) => href) };
  };

  it.each([
    [[], {}, resolve('default.etcd'), ['http://localhost:2379/']],
    [['--data-dir=/d', '--listen-client-urls=http://127.0.0.1:1'], {}, '/d', ['http://127.0.0.1:1/']],
    [['--data-dir', '/d', '-listen-client-urls', 'http://a:1,http://b:2'], {}, '/d', ['http://a:1/', 'http://b:2/']],
    [['--data-dir=/d', '--unsafe-no-fsync=true', '--data-dir=/e'], {}, '/e', ['http://localhost:2379/']],
    [['--data-dir=/flag'], { ETCD_DATA_DIR: '/env', ETCD_LISTEN_CLIENT_URLS: 'http://c:3' }, '/flag', ['http://c:3/']],
  ])('reads %j', (argv, env, dataDir, urls) => {
    expect(settings(argv, env)).toEqual({ dataDir, urls });
  });

  it('rejects TLS URLs', () => {
    expect(() => settings(['--listen-client-urls=https://127.0.0.1:1'])).toThrow('--etcd real');
  });

  it('is healthy, reports its data dir, and creates it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tsukube-etcd-'));
    const dataDir = join(folder, 'data ü 100%');
    const [server] = (await startStandIn({ dataDir, clientUrls: [new URL('http://127.0.0.1:0')] })) as [Server];
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const health = await fetch(`${base}/health`);
      expect([health.status, await health.json()]).toEqual([200, { health: 'true', reason: '' }]);
      expect(decodeURIComponent(health.headers.get(dataDirHeader) ?? '')).toBe(dataDir);
      expect(await (await fetch(`${base}/version`)).json()).toMatchObject({ etcdserver: '3.6.0' });
      expect((await fetch(`${base}/v3/kv/range`)).status).toBe(404);
      expect(existsSync(dataDir)).toBe(true);
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  });
});
