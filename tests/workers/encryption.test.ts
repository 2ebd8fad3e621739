import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client, WatchStream } from '../support/client.ts';
import { KmsPlugin } from '../support/kms-plugin.ts';
import { notBuilt } from '../support/server-process.ts';
import { clientOf, startWorkerServer, until, type WorkerServer } from '../support/worker-server.ts';

const count = 3;
const secrets = '/api/v1/namespaces/default/secrets';
const needle = 'needle-in-the-haystack';
const key = (name: string) => ({ name, secret: Buffer.alloc(32, name).toString('base64') });
const cbc = (...names: string[]) => ({ aescbc: { keys: names.map(key) } });

/** A server with several processes and an encryption configuration, with a client of each process. */
class Stage {
  readonly dir = mkdtempSync(join(tmpdir(), 'tsukube-encryption-'));
  server!: WorkerServer;
  clients: Client[] = [];
  #made = 0;

  configure(...providers: object[]): void {
    const configuration = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' };
    const resources = [{ resources: ['secrets'], providers }];
    writeFileSync(join(this.dir, 'encryption.json'), JSON.stringify({ ...configuration, resources }));
  }

  async start(): Promise<void> {
    const flags = [
      `--encryption-provider-config=${join(this.dir, 'encryption.json')}`,
      '--encryption-provider-config-automatic-reload',
    ];
    this.server = await startWorkerServer(join(this.dir, 'data'), count, { args: flags });
    for (let i = 0; i < count; i++) this.clients.push(await clientOf(this.server.kubeconfig, i));
  }

  client(i: number): Client {
    return this.clients[i % count] as Client;
  }

  /** Creates a Secret in one process and reads it in all. */
  async create(at: number): Promise<string> {
    const name = `s${this.#made++}`;
    const made = await this.client(at).send('POST', secrets, {
      metadata: { name },
      stringData: { password: `${needle}-${name}` },
    });
    expect([made.status, name]).toEqual([201, name]);
    const expected = Buffer.from(`${needle}-${name}`).toString('base64');
    for (const client of this.clients) {
      const { status, body } = await client.get(`${secrets}/${name}`);
      expect([status, body.data?.password, body.message]).toEqual([200, expected, undefined]);
      expect((await client.get(secrets)).body.items).toHaveLength(this.#made);
    }
    return name;
  }

  watchAll(): Promise<WatchStream[]> {
    return Promise.all(this.clients.map((client) => client.watch(`${secrets}?watch=1&resourceVersion=0`)));
  }

  /** Kills a worker with SIGKILL, and connects to the process that is started instead. */
  async restart(index: number): Promise<void> {
    const pid = this.server.pidOf(index);
    process.kill(pid, 'SIGKILL');
    await until(() => this.server.pidOf(index) !== pid, 'the process is restarted');
    this.client(index).close();
    this.clients[index] = await clientOf(this.server.kubeconfig, index);
  }

  async dispose(): Promise<void> {
    for (const client of this.clients) client.close();
    await this.server?.process.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** All events of each watch up to the Secret with a name. Fails on an event of type ERROR. */
async function seenUpTo(watches: readonly WatchStream[], name: string): Promise<string[][]> {
  return Promise.all(
    watches.map(async (watch) => {
      const names: string[] = [];
      while (names.at(-1) !== name) {
        const { type, object } = await watch.next();
        expect(type).toBe('ADDED');
        names.push(object.metadata.name);
      }
      watch.close();
      return names;
    }),
  );
}

describe.skipIf(notBuilt || process.platform !== 'linux')('encryption at rest with several processes', () => {
  const stages: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const dispose of stages.splice(0).reverse()) await dispose();
  });
  const newStage = (): Stage => {
    const stage = new Stage();
    stages.push(() => stage.dispose());
    return stage;
  };

  it.each([
    ['aescbc', cbc('a')],
    ['secretbox', { secretbox: { keys: [key('a')] } }],
  ])('%s: a value sealed by one is read and watched by all', async (name, provider) => {
    const stage = newStage();
    stage.configure(provider);
    await stage.start();
    const watches = await stage.watchAll();
    const names: string[] = [];
    for (let i = 0; i < 2 * count; i++) names.push(await stage.create(i));
    expect(await seenUpTo(watches, names.at(-1) as string)).toEqual(watches.map(() => names));
    const file = readFileSync(join(stage.dir, 'data', 'data', 'data.mdb'));
    expect([file.includes(needle), file.includes(`k8s:enc:${name}:v1:a:`)]).toEqual([false, true]);
  });

  it('a new key that one process has read already is read by the others when they meet it', async () => {
    const stage = newStage();
    stage.configure(cbc('a'));
    await stage.start();
    await stage.create(0);
    const watches = await stage.watchAll();
    // Only a process that starts now reads the file; the others would look at it within a minute.
    stage.configure(cbc('b', 'a'));
    watches.splice(1, 1)[0]?.close();
    await stage.restart(1);
    const names = ['s0'];
    for (const at of [1, 0, 2, 1]) names.push(await stage.create(at));
    expect(await seenUpTo(watches, names.at(-1) as string)).toEqual(watches.map(() => names));
    const file = readFileSync(join(stage.dir, 'data', 'data', 'data.mdb'));
    expect(file.includes('k8s:enc:aescbc:v1:b:')).toBe(true);
  });

  it('a KMS plugin: each process has a seed of its own, which the others have decrypted once', async () => {
    const stage = newStage();
    const plugin = new KmsPlugin(join(stage.dir, 'kms.sock'));
    await plugin.start();
    stages.push(() => plugin.stop());
    stage.configure({ kms: { apiVersion: 'v2', name: 'mock', endpoint: plugin.endpoint, timeout: '3s' } });
    await stage.start();
    const watches = await stage.watchAll();
    const names: string[] = [];
    for (let i = 0; i < 2 * count; i++) names.push(await stage.create(i));
    expect(await seenUpTo(watches, names.at(-1) as string)).toEqual(watches.map(() => names));
    expect(plugin.calls.filter((call) => call === 'Encrypt')).toHaveLength(count);
    expect(plugin.calls.filter((call) => call === 'Decrypt')).toHaveLength(count * (count - 1));
    plugin.keyId = 'key-2';
    await stage.restart(2);
    await stage.create(2);
    await plugin.stop();
    for (let i = 0; i < count; i++) await stage.create(i);
  });
});
