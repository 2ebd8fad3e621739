import { describe, expect, it } from 'vitest';
import { configMap, newNamespace, own, useServer } from '../support/server.ts';
import { statusLike } from './status.ts';

const t = useServer();

const wrong = (text: string, problem: string) =>
  `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${problem}`;

const texts: readonly (readonly [string, string])[] = [
  ['abc', 'invalid syntax'],
  ['-1', 'invalid syntax'],
  ['1.5', 'invalid syntax'],
  ['18446744073709551616', 'value out of range'],
  ['99999999999999999999999999999999999999999', 'value out of range'],
];

describe('a resourceVersion that is not a 64-bit number', () => {
  it.each(texts)('%s', async (text, problem) => {
    const path = await newNamespace(t.client);
    const { body } = await t.client.send('POST', path, configMap('a'));
    const failure = statusLike(500, undefined, wrong(text, problem));
    expect((await t.client.get(`${path}/a?resourceVersion=${text}`)).body).toMatchObject(failure);
    expect((await t.client.get(`${path}?watch=1&resourceVersion=${text}`)).body).toMatchObject(failure);
    const list = await t.client.get(`${path}?resourceVersion=${text}`);
    expect(list.body).toMatchObject(statusLike(400, 'BadRequest', `invalid resource version: ${wrong(text, problem)}`));
    const metadata = { ...body.metadata, resourceVersion: text };
    const update = await t.client.send('PUT', `${path}/a`, { ...body, metadata });
    const patch = await t.client.send('PATCH', `${path}/a`, { metadata }, { 'content-type': 'application/merge-patch+json' });
    for (const write of [update, patch])
      expect(write.body).toMatchObject(statusLike(500, undefined, `strconv.ParseUint: parsing "${text}": ${problem}`));
  });

  it.each(['limit', 'timeoutSeconds'])('%s cannot have more than 64 bits', async (parameter) => {
    const path = await newNamespace(t.client);
    const reply = await t.client.get(`${path}?${parameter}=9223372036854775808`);
    const message = 'strconv.ParseInt: parsing "9223372036854775808": value out of range';
    expect(reply.body).toMatchObject(statusLike(400, 'BadRequest', message));
  });
});

describe('a watch from a future resourceVersion', () => {
  it('starts with the first later event', async () => {
    const path = await newNamespace(t.client);
    await expect.poll(async () => (await t.client.get(`${path}/kube-root-ca.crt`)).status).toBe(200);
    const current = Number((await t.client.get(path)).body.metadata.resourceVersion);
    const watch = await t.client.watch(`${path}?watch=1&${own}&resourceVersion=${current + 3}`);
    for (let i = 1; i <= 6; i++) await t.client.send('POST', path, configMap(`c${i}`));
    const events = await watch.take(3);
    expect(events.map((event) => event.object.metadata.name)).toEqual(['c4', 'c5', 'c6']);
    watch.close();
  });
});
