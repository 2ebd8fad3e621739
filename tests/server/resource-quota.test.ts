import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Any, Client } from '../support/client.ts';
import { createDefinition, definition } from '../support/definitions.ts';
import { newNamespace, useServer } from '../support/server.ts';

/** Shorter than the interval after which charges are recounted without another reason. */
const patience = { timeout: 8_000, interval: 20 };
const merge = { 'content-type': 'application/merge-patch+json' };
const parallel = 64;
const numbers = Array.from({ length: parallel }, (_, i) => i);

interface Place {
  readonly client: Client;
  readonly root: string;
}

async function newPlace(client: Client): Promise<Place> {
  return { client, root: (await newNamespace(client)).replace(/\/configmaps$/, '') };
}

async function create({ client }: Place, path: string, object: Any): Promise<Any> {
  const { status, body } = await client.send('POST', path, object);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

/** Creates a quota and waits for its usage. */
async function limit(place: Place, name: string, hard: Any, spec: Any = {}): Promise<void> {
  await create(place, `${place.root}/resourcequotas`, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name },
    spec: { hard, ...spec },
  });
  await vi.waitFor(async () => expect(Object.keys((await usage(place, name)) ?? {})).toEqual(Object.keys(hard).sort()), patience);
}

async function usage({ client, root }: Place, name: string): Promise<Any> {
  return (await client.get(`${root}/resourcequotas/${name}`)).body.status.used;
}

const becomes = (place: Place, name: string, used: Any) =>
  vi.waitFor(async () => expect(await usage(place, name)).toEqual(used), patience);

/** The number of creates that succeed; the others are refused by quota. */
async function createMany({ client }: Place, path: string, objectOf: (i: number) => Any): Promise<number> {
  const replies = await Promise.all(numbers.map((i) => client.send('POST', path, objectOf(i))));
  const created = replies.filter(({ status }) => status === 201).length;
  const others = replies.filter(({ status }) => status !== 201);
  for (const { status, body } of others) expect([status, body.message]).toEqual([403, expect.stringContaining('exceeded quota')]);
  return created;
}

async function listed({ client }: Place, path: string): Promise<number> {
  return (await client.get(path)).body.items.length;
}

const secret = (i: number, size = 1) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `s${i}` },
  stringData: { text: 'x'.repeat(size) },
});
/** Heavy enough for a worker thread: more values than the event loop handles at once. */
const heavySecret = (i: number) => ({
  ...secret(i),
  stringData: Object.fromEntries(Array.from({ length: 2000 }, (_, key) => [`key-${key}`, 'value'])),
});
const pod = (name: string, cpu: string, spec: Any = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...spec },
});

describe('ResourceQuota', () => {
  const t = useServer();

  it('is never exceeded by concurrent creates', async () => {
    const place = await newPlace(t.client);
    await limit(place, 'q', { 'count/secrets': '20' });
    expect(await createMany(place, `${place.root}/secrets`, (i) => secret(i))).toBe(20);
    expect(await listed(place, `${place.root}/secrets`)).toBe(20);
    expect(await usage(place, 'q')).toEqual({ 'count/secrets': '20' });
  });

  it('holds for several quotas at the same time', async () => {
    const place = await newPlace(t.client);
    await limit(place, 'a', { secrets: '50' });
    await limit(place, 'b', { 'count/secrets': '10' });
    expect(await createMany(place, `${place.root}/secrets`, (i) => secret(i))).toBe(10);
    await becomes(place, 'a', { secrets: '10' });
    await becomes(place, 'b', { 'count/secrets': '10' });
  });

  it('holds for requests in worker threads, beside those of the main thread', async () => {
    const place = await newPlace(t.client);
    await limit(place, 'q', { secrets: '12' });
    const created = await createMany(place, `${place.root}/secrets`, (i) => (i % 8 ? secret(i) : heavySecret(i)));
    expect(created).toBe(12);
    expect(await listed(place, `${place.root}/secrets`)).toBe(12);
    await becomes(place, 'q', { secrets: '12' });
  });

  it('counts custom resources, whose definition may come later', async () => {
    const place = await newPlace(t.client);
    const hard = { 'count/crates.example.com': '3' };
    await create(place, `${place.root}/resourcequotas`, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard },
    });
    const path = await createDefinition(t.client, definition('crates'));
    await becomes(place, 'q', { 'count/crates.example.com': '0' });
    const crates = `/apis/example.com/v1${place.root.slice('/api/v1'.length)}/crates`;
    expect(path).toContain('/crates');
    const crate = (i: number) => ({ apiVersion: 'example.com/v1', kind: 'Crate', metadata: { name: `c${i}` } });
    expect(await createMany(place, crates, crate)).toBe(3);
    const { body } = await t.client.get(crates);
    await t.client.send('DELETE', `${crates}/${body.items[0].metadata.name}`);
    await becomes(place, 'q', { 'count/crates.example.com': '2' });
  });

  it('releases the usage of deleted objects and finished pods', async () => {
    const place = await newPlace(t.client);
    await limit(place, 'q', { pods: '2', 'requests.cpu': '1', 'count/pods': '5' });
    for (const name of ['a', 'b']) await create(place, `${place.root}/pods`, pod(name, '400m'));
    const refused = await t.client.send('POST', `${place.root}/pods`, pod('c', '1m'));
    expect(refused.body.message).toBe(
      'pods "c" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    );
    await t.client.send('PATCH', `${place.root}/pods/a/status`, { status: { phase: 'Succeeded' } }, merge);
    await becomes(place, 'q', { pods: '1', 'requests.cpu': '400m', 'count/pods': '2' });
    await t.client.send('DELETE', `${place.root}/pods/b?gracePeriodSeconds=0`);
    await becomes(place, 'q', { pods: '0', 'requests.cpu': '0', 'count/pods': '1' });
    await create(place, `${place.root}/pods`, pod('c', '1'));
  });

  it('counts objects that exist before the quota, and follows changes of the spec', async () => {
    const place = await newPlace(t.client);
    for (const i of [1, 2, 3]) await create(place, `${place.root}/secrets`, secret(i));
    await limit(place, 'q', { secrets: '2' });
    expect(await usage(place, 'q')).toEqual({ secrets: '3' });
    await t.client.send('PATCH', `${place.root}/resourcequotas/q`, { spec: { hard: { secrets: '4', configmaps: '9' } } }, merge);
    await becomes(place, 'q', { secrets: '3', configmaps: '1' });
    await create(place, `${place.root}/secrets`, secret(4));
    const { status } = (await t.client.get(`${place.root}/resourcequotas/q`)).body;
    expect(status).toEqual({ hard: { secrets: '4', configmaps: '9' }, used: { secrets: '4', configmaps: '1' } });
  });

  it('does not lower the usage of writes in progress', async () => {
    const place = await newPlace(t.client);
    await limit(place, 'q', { secrets: '10' });
    // Every delete asks for a recount, while creates are charged before they are stored.
    let created = 0;
    for (let round = 0; round < 10; round++) {
      const replies = await Promise.all(
        [0, 1, 2, 3].map((i) => t.client.send('POST', `${place.root}/secrets`, secret(10 * round + i))),
      );
      created += replies.filter(({ status }) => status === 201).length;
      expect(await listed(place, `${place.root}/secrets`)).toBeLessThanOrEqual(10);
      await t.client.send('DELETE', `${place.root}/secrets/s${10 * round}`);
    }
    expect(created).toBeGreaterThanOrEqual(10);
    const left = await listed(place, `${place.root}/secrets`);
    await becomes(place, 'q', { secrets: String(left) });
  });

  it('charges nothing for refused and dry-run requests', async () => {
    const place = await newPlace(t.client);
    await limit(place, 'q', { secrets: '5', 'count/secrets': '1' });
    await create(place, `${place.root}/secrets?dryRun=All`, secret(1));
    await create(place, `${place.root}/secrets`, secret(1));
    expect((await t.client.send('POST', `${place.root}/secrets`, secret(2))).status).toBe(403);
    expect(await usage(place, 'q')).toEqual({ secrets: '1', 'count/secrets': '1' });
  });

  it('recounts within a second of a change', async () => {
    const place = await newPlace(t.client);
    await limit(place, 'q', { secrets: '9' });
    const durations: number[] = [];
    for (const i of numbers.slice(0, 5)) {
      await create(place, `${place.root}/secrets`, secret(i));
      expect(await usage(place, 'q')).toEqual({ secrets: '1' });
      await t.client.send('DELETE', `${place.root}/secrets/s${i}`);
      const begun = performance.now();
      await becomes(place, 'q', { secrets: '0' });
      durations.push(performance.now() - begun);
    }
    expect(durations.sort((a, b) => a - b)[2]).toBeLessThan(1000);
  });

  it('recounts the scope of pods that get a deadline', async () => {
    const place = await newPlace(t.client);
    await limit(place, 'short', { pods: '1' }, { scopes: ['Terminating'] });
    await limit(place, 'long', { pods: '1' }, { scopes: ['NotTerminating'] });
    await create(place, `${place.root}/pods`, pod('a', '1'));
    await becomes(place, 'long', { pods: '1' });
    await t.client.send('PATCH', `${place.root}/pods/a`, { spec: { activeDeadlineSeconds: 5 } }, merge);
    expect(await usage(place, 'short')).toEqual({ pods: '1' });
    await becomes(place, 'long', { pods: '0' });
  });
});

describe('limited resources', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quota-'));
  const admissionControlConfigFile = join(folder, 'admission.yaml');
  const configuration = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources:
    - resource: secrets
      matchContains: [count/]
`;
  writeFileSync(admissionControlConfigFile, configuration);
  const t = useServer({ admissionControlConfigFile });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['the main thread', secret],
    ['a worker thread', heavySecret],
  ])('need a quota, in %s', async (_, secretOf) => {
    const place = await newPlace(t.client);
    const { status, body } = await t.client.send('POST', `${place.root}/secrets`, secretOf(1));
    expect([status, body.message]).toEqual([403, 'secrets "s1" is forbidden: insufficient quota to consume: count/secrets']);
    await limit(place, 'q', { 'count/secrets': '1' });
    await create(place, `${place.root}/secrets`, secretOf(1));
    expect((await t.client.send('POST', `${place.root}/secrets`, secretOf(2))).body.message).toContain('exceeded quota: q');
  });
});
