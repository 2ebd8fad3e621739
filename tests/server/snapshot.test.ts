import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';
import { etcdMissing, type RunningEtcd, startEtcd } from '../support/etcd.ts';
import { configMap } from '../support/server.ts';
import { launchServer, notBuilt, type ServerProcess, tsukube } from '../support/server-process.ts';

const path = '/api/v1/namespaces/default/configmaps';
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-snapshot-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function changed(bytes: Buffer, at: number): Buffer {
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes;
}

async function withServer<T>(
  dataDir: string,
  args: readonly string[],
  use: (client: Client, server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = launchServer({ dataDir, args, quiet: true });
  const client = clientFor(await server.ready);
  try {
    return await use(client, server);
  } finally {
    client.close();
    await server.stop();
  }
}

/** Names of the ConfigMaps, with their uids. */
async function objectsOf(client: Client): Promise<Map<string, string>> {
  const { body } = await client.get(path);
  return new Map(body.items.map(({ metadata }: Any) => [metadata.name, metadata.uid]));
}

describe.skipIf(notBuilt)('tsukube snapshot', () => {
  const dataDir = () => join(folder, 'live');
  const file = () => join(folder, 'live.snapshot');
  let before: Map<string, string>;
  let versionBefore: number;

  it('saves a consistent state while a server writes', async () => {
    await withServer(dataDir(), [], async (client) => {
      let isWriting = true;
      let made = 0;
      // Pairs: in any state of one moment, the second of a pair is missing only if it was being made.
      const writing = (async () => {
        for (; isWriting; made++) {
          await client.send('POST', path, configMap(`first-${made}`, {}, { text: 'x'.repeat(2000) }));
          await client.send('POST', path, configMap(`second-${made}`));
        }
      })();
      await expect.poll(() => made).toBeGreaterThan(20);
      const acknowledged = made;
      const { code, out, err } = await tsukube('snapshot', 'save', file(), '--data-dir', dataDir());
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(/^Saved \d+ objects \([\d.]+ MiB\) at revision \d+ to /);
      isWriting = false;
      await writing;
      before = new Map([...(await objectsOf(client))].filter(([name]) => Number(name.split('-')[1]) < acknowledged));
      versionBefore = Number((await client.get(path)).body.metadata.resourceVersion);
    });
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('restores it, with versions above all that clients have seen', async () => {
    const restored = join(folder, 'restored');
    const { code, out } = await tsukube('snapshot', 'restore', file(), '--data-dir', restored);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^Restored \d+ objects/) });
    await withServer(restored, [], async (client) => {
      const after = await objectsOf(client);
      for (const [name, uid] of before) if (!name.startsWith('kube')) expect([name, after.get(name)]).toEqual([name, uid]);
      const seconds = [...after.keys()].filter((name) => name.startsWith('second-'));
      for (const name of seconds) expect(after.has(name.replace('second', 'first'))).toBe(true);
      expect(Number((await client.get(path)).body.metadata.resourceVersion)).toBeGreaterThan(versionBefore);
      const stale = await client.get(`${path}?watch=1&resourceVersion=${versionBefore}`);
      expect(stale.text).toContain('"code":410');
      expect((await client.send('POST', path, configMap('after'))).status).toBe(201);
    });
    expect((await tsukube('check', '--data-dir', restored)).out).toContain('Everything is whole');
  });

  it.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    ['that was truncated', (bytes) => bytes.subarray(0, bytes.length - 10), /is not a whole snapshot/],
    ['with a changed byte', (bytes) => changed(bytes, 20_000), /its checksum is wrong/],
    ['that is empty', () => Buffer.alloc(0), /is not a whole snapshot/],
  ])('refuses a file %s, and creates nothing', async (name, change, problem) => {
    const bad = join(folder, `${name}.bad`);
    const target = join(folder, `from ${name}`);
    writeFileSync(bad, change(readFileSync(file())));
    const { code, err } = await tsukube('snapshot', 'restore', bad, '--data-dir', target);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(problem) });
    expect(readdirSync(target)).toEqual([]);
  });

  it('keeps existing values', async () => {
    const again = await tsukube('snapshot', 'save', file(), '--data-dir', dataDir());
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('exists') });
    const kept = await tsukube('snapshot', 'restore', file(), '--data-dir', dataDir());
    expect(kept).toMatchObject({ code: 1, err: expect.stringContaining('--replace puts it aside') });
    await withServer(dataDir(), [], async () => {
      const used = await tsukube('snapshot', 'restore', file(), '--data-dir', dataDir(), '--replace');
      expect(used).toMatchObject({ code: 1, err: expect.stringContaining('is in use by another server') });
    });
    const replaced = await tsukube('snapshot', 'restore', file(), '--data-dir', dataDir(), '--replace');
    expect(replaced).toMatchObject({ code: 0, out: expect.stringContaining('The former database is ') });
    expect(readdirSync(dataDir()).filter((name) => name.startsWith('data.before-'))).toHaveLength(1);
  });

  it('explains bad usage', async () => {
    expect(await tsukube('snapshot', 'save')).toMatchObject({ code: 2, err: expect.stringContaining('snapshot save FILE') });
    const missing = await tsukube('snapshot', 'save', join(folder, 'x'), '--data-dir', join(folder, 'nothing'));
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('there is no database') });
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });
});

describe.skipIf(notBuilt || etcdMissing)('tsukube migrate', () => {
  let etcd: RunningEtcd;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd?.stop());

  it('copies all objects from LMDB to etcd and back', async () => {
    const [first, second] = [join(folder, 'one'), join(folder, 'two')];
    const onEtcd = `--etcd-servers=${etcd.endpoint}`;
    const pki = `--cert-dir=${join(first, 'pki')}`;
    const made = await withServer(first, [], async (client) => {
      for (let i = 0; i < 40; i++) await client.send('POST', path, configMap(`moved-${i}`, {}, { text: 'x'.repeat(i * 1000) }));
      return objectsOf(client);
    });
    const there = await tsukube('migrate', '--from', `--data-dir ${first}`, '--to', onEtcd);
    expect(there).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/copied \d+ of \d+\n(.*\n)*Copied \d+ objects\. Both/),
    });
    expect(await tsukube('migrate', '--from', `--data-dir ${first}`, '--to', onEtcd)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/the target has \d+ objects; --resume/),
    });
    expect(await tsukube('migrate', '--from', `--data-dir ${first}`, '--to', onEtcd, '--resume')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Copied 0 objects, \d+ were there already/),
    });
    await withServer(join(folder, 'etcd-server'), [onEtcd, pki], async (client) => {
      expect(await objectsOf(client)).toEqual(made);
      expect((await client.send('POST', path, configMap('made-on-etcd'))).status).toBe(201);
    });
    const back = await tsukube('migrate', '--from', onEtcd, '--to', `--data-dir ${second}`);
    expect({ code: back.code, err: back.err }).toEqual({ code: 0, err: '' });
    await withServer(second, [pki], async (client) => {
      const moved = await objectsOf(client);
      expect(moved.size).toBe(made.size + 1);
      for (const [name, uid] of made) expect(moved.get(name)).toBe(uid);
    });
    const differing = await tsukube('migrate', '--from', `--data-dir ${first}`, '--to', `--data-dir ${second}`, '--resume');
    expect(differing).toMatchObject({ code: 1, err: expect.stringMatching(/differ between the stores|with another content/) });
  });

  it('explains bad usage', async () => {
    expect(await tsukube('migrate')).toMatchObject({ code: 2, err: expect.stringContaining('needs --from and --to') });
    const wrong = await tsukube('migrate', '--from', '--storage=nothing', '--to', '--storage=lmdb');
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--storage') });
    const memory = await tsukube('migrate', '--from', '--storage=memory', '--to', `--data-dir ${join(folder, 'm')}`);
    expect(memory).toMatchObject({ code: 1, err: expect.stringContaining('a store in memory') });
  });
});
