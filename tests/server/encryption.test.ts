import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, type StartOptions, startServer } from '@tsukube/server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor, type Reply } from '../support/client.ts';
import { etcdMissing, startEtcd } from '../support/etcd.ts';
import { KmsPlugin } from '../support/kms-plugin.ts';

const secretA = Buffer.alloc(32, 'a').toString('base64');
const secretB = Buffer.alloc(32, 'b').toString('base64');
const cbc = (...names: string[]) => ({
  aescbc: { keys: names.map((name) => ({ name, secret: name === 'a' ? secretA : secretB })) },
});
const gcm = { aesgcm: { keys: [{ name: 'a', secret: secretA }] } };
const box = { secretbox: { keys: [{ name: 'a', secret: secretA }] } };
const identity = { identity: {} };
type Rules = readonly (readonly [resources: readonly string[], providers: readonly object[]])[];

const secret = (name: string, text = 'needle-in-the-haystack') => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData: { password: text },
});
const secrets = '/api/v1/namespaces/default/secrets';
const panda = { apiVersion: 'bears.example/v1', kind: 'Panda', metadata: { name: 'p' }, spec: { food: 'needle-bamboo' } };
const pandas = '/apis/bears.example/v1/namespaces/default/pandas';
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'pandas.bears.example' },
  spec: {
    group: 'bears.example',
    names: { kind: 'Panda', plural: 'pandas' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** A server that is restarted with different encryption configurations. */
class Stage {
  readonly dir = mkdtempSync(join(tmpdir(), 'tsukube-encryption-'));
  readonly #options: StartOptions;
  server!: RunningServer;
  client!: Client;

  constructor(options: StartOptions) {
    this.#options = options;
  }

  /** Starts without a configuration if there are no rules. */
  async start(rules?: Rules): Promise<void> {
    await this.stop();
    const file = join(this.dir, 'encryption.json');
    if (rules) writeFileSync(file, configuration(rules));
    const encryptionProviderConfig = rules && file;
    this.server = await startServer({
      dataDir: join(this.dir, 'data'),
      securePort: 0,
      ...this.#options,
      ...(encryptionProviderConfig && { encryptionProviderConfig }),
    });
    this.client = clientFor(this.server.kubeconfig);
  }

  async stop(): Promise<void> {
    this.client?.close();
    await this.server?.close();
  }

  /** The first bytes of a stored value. */
  async stored(key: string): Promise<string> {
    const entry = await this.server.store.get(`/registry/${key}`);
    return Buffer.from(entry?.value ?? [])
      .subarray(0, 40)
      .toString('latin1');
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.dir, { recursive: true });
  }
}

function configuration(rules: Rules): string {
  const resources = rules.map(([names, providers]) => ({ resources: names, providers }));
  return JSON.stringify({ kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources });
}

const created = async (reply: Promise<Reply>): Promise<Any> => {
  const { status, body, text } = await reply;
  if (status !== 201) throw new Error(text);
  return body;
};

describe.each(['lmdb', 'etcd'] as const)('encryption at rest on %s', (storage) => {
  const skipped = storage === 'etcd' ? etcdMissing : undefined;
  const stages: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const dispose of stages.splice(0).reverse()) await dispose();
  });
  const newStage = async (): Promise<Stage> => {
    const etcd = storage === 'etcd' ? await startEtcd() : undefined;
    if (etcd) stages.push(() => etcd.stop());
    const stage = new Stage(etcd ? { etcdServers: [etcd.endpoint] } : {});
    stages.push(() => stage.dispose());
    return stage;
  };

  it.skipIf(skipped)('encrypts the resources of the rules, custom resources too, and serves them in plain text', async () => {
    const stage = await newStage();
    await stage.start([
      [['configmaps'], [gcm]],
      [
        ['secrets', 'pandas.bears.example'],
        [box, identity],
      ],
      [['events', 'leases.coordination.k8s.io'], [identity]],
      [['*.apps'], [cbc('b')]],
      [['*.*'], [cbc('a')]],
    ]);
    const { client } = stage;
    const watch = await client.watch(`${secrets}?watch=1&resourceVersion=0`);
    await created(client.send('POST', secrets, secret('s')));
    const { type, object } = await watch.next();
    expect([type, object.metadata.name, object.data.password]).toEqual([
      'ADDED',
      's',
      Buffer.from('needle-in-the-haystack').toString('base64'),
    ]);
    watch.close();
    await created(
      client.send('POST', '/api/v1/namespaces/default/configmaps', {
        metadata: { name: 'c' },
        data: { k: 'needle-in-a-configmap' },
      }),
    );
    await created(client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition));
    await expect.poll(async () => (await client.send('POST', pandas, panda)).status, { timeout: 5000 }).toBe(201);
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'needle-image' }] } };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    await created(client.send('POST', '/apis/apps/v1/namespaces/default/deployments', { metadata: { name: 'd' }, spec }));
    expect(await stage.stored('secrets/default/s')).toMatch(/^k8s:enc:secretbox:v1:a:/);
    expect(await stage.stored('configmaps/default/c')).toMatch(/^k8s:enc:aesgcm:v1:a:/);
    expect(await stage.stored('bears.example/pandas/default/p')).toMatch(/^k8s:enc:secretbox:v1:a:/);
    expect(await stage.stored('deployments/default/d')).toMatch(/^k8s:enc:aescbc:v1:b:/);
    expect(await stage.stored('namespaces/default')).toMatch(/^k8s:enc:aescbc:v1:a:/);
    expect(await stage.stored('services/specs/default/kubernetes')).toMatch(/^k8s:enc:aescbc:v1:a:/);
    expect(await stage.stored('ranges/servicenodeports')).not.toMatch(/^k8s:enc/);
    expect((await client.get(pandas)).body.items[0].spec).toEqual(panda.spec);
    const metrics = (await client.get('/metrics')).text;
    expect(metrics).toMatch(
      /apiserver_storage_transformation_operations_total\{resource="secrets",status="OK",transformation_type="to_storage",transformer_prefix="k8s:enc:secretbox:v1:"\} 1/,
    );
    expect(metrics).toMatch(/apiserver_encryption_config_controller_last_config_info\{.*hash="sha256:/);
    for (const page of ['/metrics', '/flagz', '/configz']) expect((await client.get(page)).text).not.toContain(secretA);
    await stage.stop();
    if (storage === 'lmdb')
      expect(filesBelow(join(stage.dir, 'data')).filter((file) => readFileSync(file).includes('needle'))).toEqual([]);
    await stage.start([[['*.*'], [cbc('a', 'b'), gcm, box, identity]]]);
    expect((await stage.client.get(`${pandas}/p`)).body.spec).toEqual(panda.spec);
    expect((await stage.client.get('/apis/apps/v1/deployments')).body.items).toHaveLength(1);
  });

  it.skipIf(skipped)('rotates keys: an update that changes nothing is written with the first key', async () => {
    const stage = await newStage();
    const version = async (change?: 'put') => {
      const { body } = await stage.client.get(`${secrets}/s`);
      if (!change) return body.metadata.resourceVersion;
      return (await stage.client.send('PUT', `${secrets}/s`, body)).body.metadata.resourceVersion;
    };
    await stage.start();
    await created(stage.client.send('POST', secrets, secret('s')));
    expect(await version('put')).toBe(await version());
    expect(await stage.stored('secrets/default/s')).toMatch(/^\{/);
    const steps: [object[], RegExp][] = [
      [[cbc('a'), identity], /^k8s:enc:aescbc:v1:a:/],
      [[cbc('b', 'a')], /^k8s:enc:aescbc:v1:b:/],
      [[box, cbc('b')], /^k8s:enc:secretbox:v1:a:/],
      [[identity, box], /^\{/],
    ];
    for (const [providers, expected] of steps) {
      await stage.start([[['secrets'], providers]]);
      const before = await version();
      expect(await version('put')).not.toBe(before);
      expect(await stage.stored('secrets/default/s')).toMatch(expected);
      const after = await version();
      expect(await version('put')).toBe(after);
    }
  });

  it.skipIf(skipped)('answers 500 for a value that cannot be decrypted, and keeps serving others', async () => {
    const stage = await newStage();
    await stage.start([[['secrets'], [cbc('a')]]]);
    for (const name of ['bad', 'gone']) await created(stage.client.send('POST', secrets, secret(name)));
    await stage.start([[['secrets'], [cbc('b')]]]);
    const { client } = stage;
    await created(client.send('POST', secrets, secret('good')));
    await created(client.send('POST', '/api/v1/namespaces/kube-system/secrets', secret('other')));
    const reason = 'no matching key was found for the provided AES transformer';
    const failure = (message: string) => ({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `Internal error occurred: ${message}`,
      reason: 'InternalError',
      details: { causes: [{ message }] },
      code: 500,
    });
    const listFailure = failure(`unable to transform key "/registry/secrets/default/bad": ${reason}`);
    expect((await client.get(`${secrets}/bad`)).body).toEqual(failure(reason));
    expect((await client.get(`${secrets}/good`)).status).toBe(200);
    expect((await client.get(secrets)).body).toEqual(listFailure);
    expect((await client.get('/api/v1/secrets?limit=1')).body).toEqual(listFailure);
    expect((await client.get('/api/v1/namespaces/kube-system/secrets')).body.items).toHaveLength(1);
    expect((await client.get(`${secrets}?resourceVersion=0`)).status).toBe(429);
    for (const [method, body] of [['DELETE'], ['PUT', secret('bad')]] as const)
      expect((await client.send(method, `${secrets}/bad`, body)).body).toEqual(failure(reason));
    expect((await client.send('POST', secrets, secret('bad'))).body.reason).toBe('AlreadyExists');
    const unsafe = await client.send('DELETE', `${secrets}/gone?ignoreStoreReadErrorWithClusterBreakingPotential=true`);
    expect(unsafe.status).toBe(200);
    expect((await client.get(`${secrets}/gone`)).status).toBe(404);
    const good = (await client.get(`${secrets}/good`)).body;
    good.metadata.labels = { a: 'b' };
    expect((await client.send('PUT', `${secrets}/good`, good)).status).toBe(200);
    expect((await client.send('DELETE', `${secrets}/good`)).status).toBe(200);
    const watch = await client.watch(`${secrets}?watch=1`);
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 429, reason: 'TooManyRequests' } });
    watch.close();
    expect((await client.get('/livez')).status).toBe(200);
    await stage.start();
    expect((await stage.client.get(`${secrets}/bad`)).body).toEqual(failure('identity transformer tried to read encrypted data'));
    await stage.start([[['secrets'], [cbc('a', 'b')]]]);
    expect((await stage.client.get('/api/v1/secrets')).body.items).toHaveLength(2);
  });
});

describe.each(['lmdb', 'etcd'] as const)('a value that becomes unreadable on %s', (storage) => {
  it.skipIf(storage === 'etcd' && etcdMissing)('ends the watches of its resource and no others, until it is gone', async () => {
    const etcd = storage === 'etcd' ? await startEtcd() : undefined;
    const stage = new Stage(etcd ? { etcdServers: [etcd.endpoint] } : {});
    try {
      await stage.start([[['secrets'], [gcm]]]);
      const { client, server } = stage;
      await created(client.send('POST', secrets, secret('good')));
      const watch = await client.watch(`${secrets}?watch=1&resourceVersion=0`);
      await watch.next();
      const other = await client.watch('/api/v1/namespaces?watch=1&resourceVersion=0');
      const key = '/registry/secrets/default/bad';
      const { revision } = await server.store.create(key, Buffer.from('k8s:enc:aesgcm:v1:a:this was never encrypted'));
      expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 429, reason: 'TooManyRequests' } });
      await watch.ended();
      const list = async () => (await client.get(secrets)).status;
      expect(await list()).toBe(500);
      expect((await client.get(`${secrets}/bad`)).body.message).toBe(
        'Internal error occurred: cipher: message authentication failed',
      );
      expect((await client.get(`${secrets}/good`)).status).toBe(200);
      await created(client.send('POST', '/api/v1/namespaces', { metadata: { name: 'later' } }));
      let name = '';
      while (name !== 'later') name = (await other.next()).object.metadata.name;
      await server.store.delete(key, revision);
      await expect.poll(list, { timeout: 5_000 }).toBe(200);
      const firstEvent = async () => {
        const again = await client.watch(`${secrets}?watch=1&resourceVersion=0`);
        const { object } = await again.next();
        again.close();
        return object.metadata.name;
      };
      await expect.poll(firstEvent, { timeout: 5_000 }).toBe('good');
      other.close();
    } finally {
      await stage.dispose();
      await etcd?.stop();
    }
  });
});

describe('a KMS v2 plugin', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kms-'));
  const plugin = new KmsPlugin(join(dir, 'kms.sock'));
  const stage = new Stage({});
  const rules: Rules = [
    [['secrets'], [{ kms: { apiVersion: 'v2', name: 'mock', endpoint: plugin.endpoint, timeout: '500ms' } }, identity]],
  ];
  beforeAll(async () => {
    plugin.annotations = { 'local.kms.example': 'hint' };
    await plugin.start();
    await stage.start(rules);
  });
  afterAll(async () => {
    await stage.dispose();
    await plugin.stop();
    rmSync(dir, { recursive: true });
  });
  const health = async (path: string) => (await stage.client.get(path)).status;

  it('encrypts the seeds, and is called once per seed', async () => {
    for (let i = 0; i < 20; i++) await created(stage.client.send('POST', secrets, secret(`s${i}`)));
    expect(await stage.stored('secrets/default/s1')).toMatch(/^k8s:enc:kms:v2:mock:/);
    expect(plugin.calls.filter((call) => call === 'Encrypt')).toHaveLength(1);
    expect(plugin.calls).not.toContain('Decrypt');
    await stage.start(rules);
    expect((await stage.client.get(secrets)).body.items).toHaveLength(20);
    expect(plugin.calls.filter((call) => call === 'Decrypt')).toHaveLength(1);
    const metrics = (await stage.client.get('/metrics')).text;
    expect(metrics).toMatch(/apiserver_storage_envelope_transformation_cache_misses_total 1\n/);
    expect(metrics).toMatch(/apiserver_envelope_encryption_dek_source_cache_size\{provider_name="mock"\} 1\n/);
    expect(metrics).toMatch(/kms_operations_latency_seconds_count\{.*method_name="\/v2.KeyManagementService\/Decrypt",.*\} 1\n/);
  });

  it('is part of /healthz and /readyz, not of /livez', async () => {
    for (const path of ['/healthz/kms-providers', '/readyz/kms-providers', '/healthz', '/readyz'])
      expect([path, await health(path)]).toEqual([path, 200]);
    expect(await health('/livez/kms-providers')).toBe(404);
  });

  it('makes values of its former key stale', async () => {
    plugin.keyId = 'key-2';
    await stage.start(rules);
    const { body } = await stage.client.get(`${secrets}/s2`);
    const replaced = (await stage.client.send('PUT', `${secrets}/s2`, body)).body;
    expect(replaced.metadata.resourceVersion).not.toBe(body.metadata.resourceVersion);
    const again = (await stage.client.send('PUT', `${secrets}/s2`, replaced)).body;
    expect(again.metadata.resourceVersion).toBe(replaced.metadata.resourceVersion);
    expect(await stage.client.get(`${secrets}/s3`).then(({ status }) => status)).toBe(200);
  });

  it('may become available after the server', async () => {
    await plugin.stop();
    await stage.start(rules);
    expect(await health('/livez')).toBe(200);
    expect(await health('/readyz')).toBe(500);
    expect((await stage.client.get('/healthz/kms-providers')).text).toMatch(
      /^internal server error: kms-provider-0: (.*error: )?rpc error: code = DeadlineExceeded desc = /,
    );
    expect((await stage.client.get('/readyz?verbose')).text).toContain('[-]kms-providers failed: reason withheld\n');
    const { body } = await stage.client.get(`${secrets}/s1`);
    expect(body).toMatchObject({ code: 500, message: 'Internal error occurred: got unexpected nil transformer' });
    const refused = await stage.client.send('POST', secrets, secret('unwritten'));
    expect(refused.body).toMatchObject({ code: 500, message: 'Internal error occurred: got unexpected nil transformer' });
    expect((await stage.client.get('/api/v1/namespaces/default/configmaps')).status).toBe(200);
    await plugin.start();
    await expect.poll(() => health('/readyz'), { timeout: 15_000, interval: 500 }).toBe(200);
    await expect.poll(() => health(`${secrets}/s1`), { timeout: 5_000 }).toBe(200);
    expect((await stage.client.get(secrets)).body.items).toHaveLength(20);
    await created(stage.client.send('POST', secrets, secret('written')));
  }, 30_000);

  it('may start shortly after a server that cannot start without it', async () => {
    await plugin.stop();
    const everything = new Stage({});
    const starting = everything.start(rules.map(([, providers]) => [['*.*'], providers]));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await plugin.start();
    await starting;
    expect(await everything.stored('namespaces/default')).toMatch(/^k8s:enc:kms:v2:mock:/);
    expect((await everything.client.get('/readyz')).status).toBe(200);
    await everything.dispose();
  }, 20_000);

  it('may become unavailable: cached seeds are used, and writes continue for some time', async () => {
    await plugin.stop();
    expect((await stage.client.get(secrets)).body.items).toHaveLength(21);
    await created(stage.client.send('POST', secrets, secret('while-away')));
    await plugin.start();
  });
});

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
