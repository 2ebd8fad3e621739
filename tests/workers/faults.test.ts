import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificate } from '../support/certificates.ts';
import type { Any, Client, Reply } from '../support/client.ts';
import { isLong } from '../support/progress.ts';
import { configMap, newNamespace, own } from '../support/server.ts';
import { launchServer, notBuilt, tsukube } from '../support/server-process.ts';
import { clientOf, startWorkerServer, until, type WorkerServer } from '../support/worker-server.ts';

const count = 3;

/** The number of a reply, or `none` while there is no reply. */
const statusNow = (reply: Promise<Reply>, ms: number) =>
  Promise.race([reply.then(({ status }) => status), pause(ms).then(() => 'none')]);

const options = { timeout: 90_000 };

describe.skipIf(notBuilt || process.platform !== 'linux')('a server with several processes', options, () => {
  let folder: string;
  let dataDir: string;
  let server: WorkerServer;
  let clients: Client[];
  let path: string;
  const tls = () => ({ cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tsukube-workers-'));
    dataDir = join(folder, 'data');
    server = await startWorkerServer(dataDir, count);
    clients = [];
    for (let i = 0; i < count; i++) clients.push(await clientOf(server.kubeconfig, i));
    path = await newNamespace(clients[0] as Client);
  });
  afterAll(async () => {
    for (const client of clients ?? []) client.close();
    await server?.process.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const client = (i: number) => clients[i % count] as Client;
  const create = (i: number, name: string) => client(i).send('POST', path, configMap(name));

  /** Suspends a process while something is done. */
  async function suspended<T>(pid: number, work: () => Promise<T>): Promise<T> {
    process.kill(pid, 'SIGSTOP');
    try {
      return await work();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  }

  it('logs to a file per process', async () => {
    for (const name of ['tsukube.log', 'tsukube.worker-1.log', 'tsukube.worker-2.log'])
      await until(() => readFileSync(join(dataDir, 'logs', name), 'utf8').includes(' serving url='), `${name} is written`);
  });

  it.each([
    ['a second server', []],
    ['a second server with workers', ['--workers=2']],
  ])('keeps the data dir from %s', async (_, args) => {
    const { code, err } = await tsukube('serve', '--data-dir', dataDir, '--secure-port=0', ...args);
    expect([code, err]).toEqual([1, expect.stringContaining(`is in use by another server (pid ${server.pid}, https://`)]);
    expect((await client(1).get('/readyz')).status).toBe(200);
  });

  it('with --workers, a data dir is refused that a server uses', async () => {
    const alone = join(folder, 'alone');
    const other = launchServer({ dataDir: alone, quiet: true });
    await other.ready;
    const { code, err } = await tsukube('serve', '--data-dir', alone, '--secure-port=0', '--workers=2');
    expect([code, err]).toEqual([1, expect.stringContaining(`is in use by another server (pid ${other.pid}, https://`)]);
    expect(await other.stop()).toBe(0);
  });

  it('is saved by tsukube snapshot while all processes write', async () => {
    let isWriting = true;
    const made: string[] = [];
    const writing = clients.map(async (each, i) => {
      for (let k = 0; isWriting; k++) {
        const name = `snapshot-${i}-${k}`;
        expect((await each.send('POST', path, configMap(name))).status).toBe(201);
        made.push(name);
      }
    });
    await until(() => made.length > 60, 'some objects are written');
    const acknowledged = [...made];
    const file = join(folder, 'snapshot');
    const saved = await tsukube('snapshot', 'save', file, '--data-dir', dataDir).finally(() => {
      isWriting = false;
    });
    await Promise.all(writing);
    expect(saved).toMatchObject({ code: 0, err: '' });
    const restored = join(folder, 'restored');
    expect(await tsukube('snapshot', 'restore', file, '--data-dir', restored)).toMatchObject({ code: 0, err: '' });
    const other = await startWorkerServer(restored, 2);
    const reader = await clientOf(other.kubeconfig, 1);
    const names = new Set((await reader.get(path)).body.items.map(({ metadata }: Any) => metadata.name));
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    reader.close();
    expect(await other.process.stop()).toBe(0);
  });

  it('writes each object at most once, if a worker is killed that has forwarded the write', async () => {
    const victim = await clientOf(server.kubeconfig, 2);
    const outcomes = Array.from({ length: 300 }, (_, i) =>
      victim.send('POST', path, { metadata: { generateName: 'killed-', labels: { request: `r${i}` } } }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    const pid = server.pidOf(2);
    await Promise.race(outcomes);
    process.kill(pid, 'SIGKILL');
    const statuses = await Promise.all(outcomes);
    victim.close();
    await until(() => server.pidOf(2) !== pid, 'the process is restarted');
    clients[2]?.close();
    clients[2] = await clientOf(server.kubeconfig, 2);
    const found = new Map<string, number>();
    for (const { metadata } of (await client(2).get(`${path}?labelSelector=request`)).body.items)
      found.set(metadata.labels.request, (found.get(metadata.labels.request) ?? 0) + 1);
    expect(statuses).toContain(201);
    expect(statuses.filter((status) => status !== 201 && status !== 0)).toEqual([]);
    for (const [i, status] of statuses.entries()) {
      const times = found.get(`r${i}`) ?? 0;
      expect([i, status === 201 ? times === 1 : times <= 1]).toEqual([i, true]);
    }
  });

  it('goes on while a worker is suspended, which returns nothing old afterwards', async () => {
    const asked = await suspended(server.pidOf(1), async () => {
      for (let i = 0; i < 10; i++) expect((await create(i % 2 === 0 ? 0 : 2, `suspended-${i}`)).status).toBe(201);
      const got = client(1).get(`${path}/suspended-9`);
      const listed = client(1).get(`${path}?${own}`);
      expect(await statusNow(got, 200)).toBe('none');
      return { got, listed };
    });
    expect((await asked.got).status).toBe(200);
    const names = (await asked.listed).body.items.map(({ metadata }: Any) => metadata.name);
    expect(names).toEqual(expect.arrayContaining(['suspended-0', 'suspended-9']));
  });

  it('reads nothing old while process 0 is suspended; writes wait', async () => {
    const made = await create(1, 'before');
    const writes: Promise<Reply>[] = [];
    await suspended(server.pid, async () => {
      for (const i of [1, 2]) {
        expect((await client(i).get(`${path}/before`)).body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion);
        expect((await client(i).get(`${path}?${own}`)).status).toBe(200);
        writes.push(create(i, `meanwhile-${i}`));
      }
      for (const write of writes) expect(await statusNow(write, 200)).toBe('none');
    });
    for (const write of writes) expect((await write).status).toBe(201);
    for (let i = 0; i < count; i++) expect((await client(i).get(`${path}/meanwhile-${1 + (i % 2)}`)).status).toBe(200);
  });

  it.runIf(isLong)(
    'kills a worker that stands still for 30 s; its clients are served by the one that replaces it',
    async () => {
      const pid = server.pidOf(1);
      process.kill(pid, 'SIGSTOP');
      const cutOff = client(1)
        .get('/version')
        .catch((error: NodeJS.ErrnoException) => error.code);
      await until(() => server.pidOf(1) !== pid, 'it is replaced', 80_000);
      expect(await cutOff).toBe('ECONNRESET');
      clients[1] = await clientOf(server.kubeconfig, 1);
      expect((await create(1, 'after-all')).status).toBe(201);
    },
    100_000,
  );

  it('serves a new certificate in all processes', async () => {
    const write = (hosts: string[]) => {
      const { pem, key } = certificate('workers', { for: 'server', hosts });
      writeFileSync(tls().cert, pem);
      writeFileSync(tls().key, key);
      return pem;
    };
    const first = write(['127.0.0.1']);
    const args = [`--tls-cert-file=${tls().cert}`, `--tls-private-key-file=${tls().key}`];
    const other = await startWorkerServer(join(folder, 'tls'), count, { args });
    try {
      const url = /server: (\S+)/.exec(other.kubeconfig)?.[1] as string;
      expect(await shown(url, 2 * count)).toEqual(new Set([thumbprint(first)]));
      const second = write(['127.0.0.1']);
      await expect.poll(() => shown(url, 2 * count), { timeout: 15_000 }).toEqual(new Set([thumbprint(second)]));
    } finally {
      await other.process.kill();
    }
  });
});

/** The certificates that as many connections are shown, which go to the processes in turn. */
async function shown(url: string, connections: number): Promise<Set<string>> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: hostname, port: Number(port), rejectUnauthorized: false }),
  );
  const prints = await Promise.all(
    sockets.map(async (socket) => {
      await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
      return socket.getPeerCertificate().fingerprint256;
    }),
  );
  for (const socket of sockets) socket.destroy();
  return new Set(prints);
}

function thumbprint(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}
