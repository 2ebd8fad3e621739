import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { type ConversionWebhook, convertHostPort, startConversionWebhook } from '../support/conversion-webhook.ts';
import { createDefinition, definition } from '../support/definitions.ts';
import { useServer } from '../support/server.ts';

const text = { type: 'string' };
const version = (name: string, properties: object, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', properties } },
  ...more,
});
const beta = version('v1beta1', { hostPort: text }, { storage: true });
const stable = version('v1', { host: text, port: text });

describe('conversion webhooks', () => {
  const t = useServer();
  let webhook: ConversionWebhook;
  let converts: ConversionWebhook['answer'];
  beforeAll(async () => {
    webhook = await startConversionWebhook(convertHostPort);
    converts = webhook.answer;
  });
  beforeEach(() => {
    webhook.answer = converts;
    webhook.reviews.length = 0;
  });
  afterAll(() => webhook.close());

  let count = 0;
  /** Creates a CRD with two versions and returns their paths. */
  const defined = async (conversionReviewVersions = ['v1']) => {
    const group = `c${count++}.example.com`;
    const conversion = { strategy: 'Webhook', webhook: { clientConfig: webhook.clientConfig(), conversionReviewVersions } };
    const old = await createDefinition(t.client, definition('taps', { group, versions: [beta, stable], conversion }));
    return { group, old, new: old.replace('/v1beta1/', '/v1/') };
  };
  const tap = (group: string, name: string, more: object, of = 'v1beta1') => ({
    apiVersion: `${group}/${of}`,
    kind: 'Tap',
    metadata: { name },
    ...more,
  });

  it.each([['v1'], ['v1beta1']])('convert reads and writes (%s)', async (review) => {
    const path = await defined([review]);
    await t.client.send('POST', path.old, tap(path.group, 'a', { hostPort: 'localhost:80' }));
    const { body: read } = await t.client.get(`${path.new}/a`);
    expect(read).toMatchObject({ apiVersion: `${path.group}/v1`, host: 'localhost', port: '80' });
    expect(webhook.reviews[0]).toMatchObject({
      apiVersion: `apiextensions.k8s.io/${review}`,
      kind: 'ConversionReview',
      request: { desiredAPIVersion: `${path.group}/v1`, objects: [{ hostPort: 'localhost:80' }] },
    });
    const { status, body: written } = await t.client.send('PUT', `${path.new}/a`, { ...read, port: '81' });
    expect([status, written.port]).toEqual([200, '81']);
    expect((await t.client.get(`${path.old}/a`)).body.hostPort).toBe('localhost:81');
    expect((await t.client.send('POST', path.new, tap(path.group, 'b', { host: 'h', port: '1' }, 'v1'))).status).toBe(201);
    expect((await t.client.get(`${path.old}/b`)).body).toMatchObject({ apiVersion: `${path.group}/v1beta1`, hostPort: 'h:1' });
  });

  it('convert a list in one call', async () => {
    const path = await defined();
    for (const name of ['a', 'b', 'c']) await t.client.send('POST', path.old, tap(path.group, name, { hostPort: `${name}:1` }));
    const { body } = await t.client.get(path.new);
    expect(body.items.map(({ host }: Any) => host)).toEqual(['a', 'b', 'c']);
    expect(webhook.reviews.map(({ request }) => request.objects.length)).toEqual([3]);
  });

  it('convert a list of more than 500 objects in several calls', async () => {
    const path = await defined();
    const names = Array.from({ length: 501 }, (_, i) => `t${String(i).padStart(3, '0')}`);
    for (let i = 0; i < names.length; i += 50)
      await Promise.all(
        names.slice(i, i + 50).map((name) => t.client.send('POST', path.old, tap(path.group, name, { hostPort: `${name}:1` }))),
      );
    const { body } = await t.client.get(path.new);
    expect(body.items.map(({ host }: Any) => host)).toEqual(names);
    expect(webhook.reviews.map(({ request }) => request.objects.length)).toEqual([500, 1]);
  });

  it('convert watch events', async () => {
    const path = await defined();
    const watch = await t.client.watch(`${path.new}?watch=1`);
    await t.client.send('POST', path.old, tap(path.group, 'a', { hostPort: 'x:1' }));
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { apiVersion: `${path.group}/v1`, host: 'x' } });
    await t.client.send('DELETE', `${path.old}/a`);
    expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { host: 'x' } });
    watch.close();
  });

  it('convert patches, and may change labels', async () => {
    const path = await defined();
    await t.client.send('POST', path.old, tap(path.group, 'a', { hostPort: 'x:1' }));
    const merge = { 'content-type': 'application/merge-patch+json' };
    const { body } = await t.client.send('PATCH', `${path.new}/a`, { port: '2', metadata: { labels: { l: 'v' } } }, merge);
    expect(body).toMatchObject({ host: 'x', port: '2', metadata: { labels: { l: 'v' } } });
    expect((await t.client.get(`${path.old}/a`)).body).toMatchObject({ hostPort: 'x:2', metadata: { labels: { l: 'v' } } });
  });

  const answering = (change: (object: Any) => void) => (review: Any) => {
    const answer = converts(review);
    for (const object of answer.response.convertedObjects) change(object);
    return answer;
  };

  it.each<[string, (review: Any) => Any, string]>([
    [
      'a failure',
      ({ apiVersion, kind, request }) => ({
        apiVersion,
        kind,
        response: { uid: request.uid, result: { status: 'Failure', message: 'I will not' } },
      }),
      'failed: I will not',
    ],
    ['no response', ({ apiVersion, kind }) => ({ apiVersion, kind }), 'failed: no response provided'],
    ['another kind', () => ({ apiVersion: 'v1', kind: 'Pod' }), 'failed: no kind "Pod" is registered for version "v1" in scheme'],
    [
      'another uid',
      (review) => ({ ...converts(review), response: { uid: 'x' } }),
      /failed: expected response.uid=".*", got "x"/.source,
    ],
    [
      'too few objects',
      (review) => ({ ...converts(review), response: { ...converts(review).response, convertedObjects: [] } }),
      'returned 0 objects, expected 1',
    ],
    [
      'another name',
      answering((object) => (object.metadata.name = 'z')),
      'returned invalid object: must have the same name: a != z',
    ],
    ['another uid', answering((object) => (object.metadata.uid = 'z')), 'must have the same UID: '],
    ['the wrong version', answering((object) => (object.apiVersion = 'a/v1')), 'invalid groupVersion (expected '],
    ['the wrong kind', answering((object) => (object.kind = 'Pod')), 'invalid kind (expected Tap, received Pod)'],
    ['no metadata', answering((object) => delete object.metadata), 'must have the same name: a != '],
    [
      'invalid labels',
      answering((object) => (object.metadata.labels = { 'not ok!': 'x' })),
      'returned invalid metadata: metadata.labels: Invalid value: "not ok!"',
    ],
  ])('refuses %s', async (_title, answer, message) => {
    const path = await defined();
    await t.client.send('POST', path.old, tap(path.group, 'a', { hostPort: 'x:1' }));
    webhook.answer = answer;
    const { status, body } = await t.client.get(`${path.new}/a`);
    expect(status).toBe(500);
    expect(body.message).toMatch(new RegExp(`^conversion webhook for ${path.group}/v1beta1, Kind=Tap `));
    if (!message.includes('.*')) expect(body.message).toContain(message);
    else expect(body.message).toMatch(new RegExp(message));
  });

  it('cannot change other metadata', async () => {
    const path = await defined();
    webhook.answer = answering((object) => Object.assign(object.metadata, { generation: 99, finalizers: ['a/b'] }));
    const { body: created } = await t.client.send('POST', path.old, tap(path.group, 'a', { hostPort: 'x:1' }));
    expect((await t.client.get(`${path.new}/a`)).body.metadata).toEqual(created.metadata);
  });

  it('affect only their requests when they fail: the stored version, deletes and other CRDs work', async () => {
    const path = await defined();
    await t.client.send('POST', path.old, tap(path.group, 'a', { hostPort: 'x:1' }));
    webhook.answer = () => undefined;
    expect((await t.client.get(path.new)).status).toBe(500);
    expect((await t.client.get(`${path.old}/a`)).status).toBe(200);
    expect((await t.client.send('DELETE', `${path.old}/a`)).status).toBe(200);
    webhook.answer = converts;
    expect((await t.client.get(path.new)).body.items).toEqual([]);
  });

  it('can be referenced as a service', async () => {
    const spec = { type: 'ExternalName', externalName: 'localhost' };
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'converter' }, spec };
    const made = await t.client.send('POST', '/api/v1/namespaces/default/services', service);
    if (made.status !== 201) throw new Error(made.text);
    const { port, caBundle } = webhook;
    const clientConfig = { service: { namespace: 'default', name: 'converter', path: '/convert', port }, caBundle };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
    const group = 'service.example.com';
    const old = await createDefinition(t.client, definition('taps', { group, versions: [beta, stable], conversion }));
    await t.client.send('POST', old, tap(group, 'a', { hostPort: 'x:1' }));
    expect((await t.client.get(`${old.replace('/v1beta1/', '/v1/')}/a`)).body).toMatchObject({ host: 'x' });
  });
});
