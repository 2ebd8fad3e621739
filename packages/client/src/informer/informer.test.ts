import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newNamespace, useServer } from '../../../../tests/support/server.ts';
import { portOf, startTcpProxy, type TcpProxy, throughPort } from '../../../../tests/support/tcp-proxy.ts';
import { KubeClient } from '../rest/kube-client.ts';
import { Informer } from './informer.ts';
import { SharedInformers } from './shared-informers.ts';

const t = useServer();
let proxy: TcpProxy;
let direct: KubeClient;
let namespace: string;
let end: AbortController;

beforeEach(async () => {
  proxy = await startTcpProxy(portOf(t.server.kubeconfig));
  direct = await KubeClient.load({ kubeconfig: t.server.kubeconfig, rateLimit: false });
  namespace = (await newNamespace(t.client)).split('/')[4] as string;
  end = new AbortController();
});
afterEach(async () => {
  end.abort();
  direct.close();
  await proxy.close();
});

const connect = (options = {}) =>
  KubeClient.load({ kubeconfig: throughPort(t.server.kubeconfig, proxy.port), rateLimit: false, ...options });
const maps = () => direct.resource('v1/configmaps', { namespace });
const create = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) =>
  maps().create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data });
const selection = { fieldSelector: 'metadata.name!=kube-root-ca.crt', backoff: { initialMs: 10, maxMs: 50 } };

describe('an informer', () => {
  it('keeps a store, indexes and handlers up to date', async () => {
    const client = await connect();
    const indexers = { app: ({ metadata }: { metadata: { labels?: Record<string, string> } }) => [metadata.labels?.app ?? ''] };
    const informer = new Informer(client.resource('v1/configmaps', { namespace }), { ...selection, indexers });
    const calls: string[] = [];
    informer.addHandler({
      onAdd: ({ metadata }) => calls.push(`add ${metadata.name}`),
      onUpdate: ({ data }, old) => calls.push(`update ${old.data?.v} ${data?.v}`),
      onDelete: ({ metadata }) => calls.push(`delete ${metadata.name}`),
    });
    const made = await create('a', { v: '1' }, { app: 'x' });
    const running = informer.run(end.signal);
    await informer.synced();
    expect(informer.store.get(`${namespace}/a`)?.metadata.managedFields).toBeUndefined();
    expect(informer.store.byIndex('app', 'x')).toHaveLength(1);
    await expect.poll(() => calls).toEqual(['add a']);
    await maps().update({ ...made, metadata: { ...made.metadata, labels: {} }, data: { v: '2' } });
    await expect.poll(() => calls).toEqual(['add a', 'update 1 2']);
    expect(informer.store.byIndex('app', 'x')).toEqual([]);
    await maps().delete('a');
    await expect.poll(() => calls).toEqual(['add a', 'update 1 2', 'delete a']);
    expect(informer.store.size).toBe(0);
    expect(() => informer.store.byIndex('none', '')).toThrow(RangeError);
    end.abort();
    await running;
    client.close();
  });

  it('tolerates slow and throwing callbacks', async () => {
    const client = await connect();
    const errors: string[] = [];
    const fail = (text: string) => () => {
      throw new Error(text);
    };
    const informer = new Informer(client.resource('v1/configmaps', { namespace }), {
      ...selection,
      onError: (error) => errors.push((error as Error).message),
      transform: fail('transform'),
      indexers: { bad: fail('indexer') },
    });
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const [quick, slow]: [string[], string[]] = [[], []];
    informer.addHandler({ onAdd: fail('handler'), onUpdate: async () => fail('promise')() });
    informer.addHandler({
      onAdd: ({ data }) => quick.push(`add ${data?.v}`),
      onUpdate: ({ data }) => quick.push(`to ${data?.v}`),
    });
    informer.addHandler({
      onAdd: async ({ data }) => {
        slow.push(`add ${data?.v}`);
        await gate;
      },
      onUpdate: ({ data }, old) => slow.push(`from ${old.data?.v} to ${data?.v}`),
    });
    informer.run(end.signal);
    await informer.synced();
    let object = await create('a', { v: '1' });
    await expect.poll(() => slow).toEqual(['add 1']);
    for (const v of ['2', '3', '4']) {
      object = await maps().update({ ...object, data: { v } });
      await expect.poll(() => quick.at(-1)).toBe(`to ${v}`);
    }
    expect(informer.backlog).toBe(1);
    open();
    await expect.poll(() => slow).toEqual(['add 1', 'from 1 to 4']);
    expect(new Set(errors)).toEqual(new Set(['transform', 'indexer', 'handler', 'promise']));
    client.close();
  });

  it('sends the current objects to a handler that is added late, and resyncs', async () => {
    const client = await connect();
    await create('a');
    const informers = new SharedInformers(selection);
    const api = client.resource('v1/configmaps', { namespace });
    const informer = informers.for(api, { fieldSelector: 'metadata.name=a' });
    expect(informers.for(api, { fieldSelector: 'metadata.name=a' })).toBe(informer);
    expect(informers.for(api)).not.toBe(informer);
    const running = informers.run(end.signal);
    await informers.synced();
    expect(informers.isSynced).toBe(true);
    const calls: string[] = [];
    const remove = informer.addHandler(
      { onAdd: () => calls.push('add'), onUpdate: () => calls.push('resync') },
      { resyncMs: 20 },
    );
    await expect.poll(() => calls.slice(0, 3)).toEqual(['add', 'resync', 'resync']);
    remove();
    await expect(informer.run(end.signal)).rejects.toThrow('runs already');
    end.abort();
    await running;
    client.close();
  });
});

describe.each([undefined, 'http/1.1' as const])('an informer on a bad network, over %s', (protocol) => {
  const options = { pingAfterMs: 100, pingTimeoutMs: 100, ...(protocol && { protocol }) };

  async function start(silenceMs = 75_000) {
    const client = await connect(options);
    const errors: string[] = [];
    const onError = (error: unknown) => errors.push((error as Error).message);
    const informer = new Informer(client.resource('v1/configmaps', { namespace }), { ...selection, silenceMs, onError });
    const versions: number[] = [];
    const note = ({ metadata }: { metadata: { resourceVersion?: string } }) => versions.push(Number(metadata.resourceVersion));
    informer.addHandler({ onAdd: note, onUpdate: note, onDelete: note });
    informer.run(end.signal);
    await informer.synced();
    return { client, informer, errors, versions };
  }

  it('continues after lost connections, without a gap or a repeat', async () => {
    const { client, informer, errors, versions } = await start();
    for (let i = 0; i < 30; i++) {
      await create(`m${i}`);
      if (i % 10 === 5) proxy.cut();
      if (i === 12) proxy.isDown = true;
      if (i === 14) proxy.isDown = false;
    }
    await expect.poll(() => informer.store.size, { timeout: 10_000 }).toBe(30);
    expect(errors.length).toBeGreaterThan(0);
    await expect.poll(() => versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    await expect.poll(() => versions.length).toBe(30);
    client.close();
  });

  it('notices a connection that went silent', async () => {
    const { client, informer, errors } = await start(protocol ? 400 : undefined);
    proxy.silence();
    await create('a');
    await expect.poll(() => informer.store.size, { timeout: 5_000 }).toBe(1);
    expect(errors[0]).toMatch(protocol ? 'silent for 400 ms' : 'no answer to a ping within 100 ms');
    client.close();
  });
});
