import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { type ConversionWebhook, convertHostPort, startConversionWebhook } from '../support/conversion-webhook.ts';
import { createDefinition, definition } from '../support/definitions.ts';
import { useServer } from '../support/server.ts';

const text = { type: 'string' };
const version = (name: string, properties: object, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties } },
});
const merge = { 'content-type': 'application/merge-patch+json' };
const applied = { 'content-type': 'application/apply-patch+yaml' };

describe('calls of the conversion webhook for managedFields', () => {
  const t = useServer();
  let webhook: ConversionWebhook;
  let converts: ConversionWebhook['answer'];
  beforeAll(async () => {
    webhook = await startConversionWebhook(convertHostPort);
    converts = webhook.answer;
  });
  beforeEach(() => {
    webhook.answer = converts;
  });
  afterAll(() => webhook.close());

  let count = 0;
  const defined = async () => {
    const group = `o${count++}.example.com`;
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: webhook.clientConfig(), conversionReviewVersions: ['v1'] },
    };
    const versions = [version('v1beta1', { hostPort: text }, false), version('v1', { host: text, port: text }, true)];
    const old = (await createDefinition(t.client, definition('taps', { group, versions, conversion }))).replace(
      '/v1/',
      '/v1beta1/',
    );
    const stable = old.replace('/v1beta1/', '/v1/');
    const tap = (of: string, fields: object) => ({
      apiVersion: `${group}/${of}`,
      kind: 'Tap',
      metadata: { name: 'a' },
      ...fields,
    });
    return { old, stable, tap };
  };
  /** The ConversionReviews for field ownership: those for the watch cache have managedFields in their objects. */
  const reviewsOf = async (request: () => Promise<Any>) => {
    webhook.reviews.length = 0;
    const reply = await request();
    const reviews = webhook.reviews
      .filter(({ request: { objects } }) => !objects[0].metadata.managedFields)
      .map(({ request: { desiredAPIVersion, objects } }) => [
        desiredAPIVersion.split('/')[1],
        ...objects.map(({ host, port }: Any) => `${host} ${port}`),
      ]);
    return { reply, reviews };
  };

  it('are not made if all entries are in the version of the request', async () => {
    const { stable, tap } = await defined();
    const { reviews } = await reviewsOf(async () => {
      await t.client.send('PATCH', `${stable}/a?fieldManager=a`, tap('v1', { host: 'h', port: '1' }), applied);
      await t.client.send('PATCH', `${stable}/a?fieldManager=u`, { port: '2' }, merge);
      await t.client.send('PATCH', `${stable}/a?fieldManager=a&force=true`, tap('v1', { host: 'h' }), applied);
    });
    expect(reviews).toEqual([]);
  });

  it('contain both the live and the new object of an update', async () => {
    const { old, stable, tap } = await defined();
    await t.client.send('PATCH', `${old}/a?fieldManager=a`, tap('v1beta1', { hostPort: 'h:1' }), applied);
    const { reply, reviews } = await reviewsOf(() => t.client.send('PATCH', `${stable}/a?fieldManager=u`, { port: '2' }, merge));
    expect(reviews).toEqual([['v1beta1', 'h 1', 'h 2']]);
    expect(reply.body.metadata.managedFields.map(({ manager }: Any) => manager)).toEqual(['u']);
  });

  it('fail an apply, and remove managedFields of an update, if the webhook is unavailable', async () => {
    const { old, stable, tap } = await defined();
    await t.client.send('PATCH', `${old}/a?fieldManager=a`, tap('v1beta1', { hostPort: 'h:1' }), applied);
    webhook.answer = () => undefined;
    const failed = await t.client.send('PATCH', `${stable}/a?fieldManager=b`, tap('v1', { host: 'g' }), applied);
    expect(failed.status).toBe(500);
    expect(failed.body.message).toMatch(/^conversion webhook for o\d+\.example\.com\/v1, Kind=Tap failed: Post "https:/);
    const { status, body } = await t.client.send('PATCH', `${stable}/a?fieldManager=u`, { port: '2' }, merge);
    expect([status, body.port, body.metadata.managedFields]).toEqual([200, '2', undefined]);
  });

  it('are repeated after a conflict', async () => {
    const { old, stable, tap } = await defined();
    await t.client.send('PATCH', `${old}/a?fieldManager=a`, tap('v1beta1', { hostPort: 'h:1' }), applied);
    const writes = ['x', 'y', 'z'].map((name) =>
      t.client.send('PATCH', `${stable}/a?fieldManager=${name}`, { metadata: { labels: { [name]: name } } }, merge),
    );
    for (const { status } of await Promise.all(writes)) expect(status).toBe(200);
    const { body } = await t.client.get(`${stable}/a`);
    expect(body.metadata.labels).toEqual({ x: 'x', y: 'y', z: 'z' });
    expect(body.metadata.managedFields.map(({ manager }: Any) => manager).sort()).toEqual(['a', 'x', 'y', 'z']);
  });
});
