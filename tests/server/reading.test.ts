import { describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { configMap, newNamespace, own, useServer } from '../support/server.ts';

const t = useServer();

async function withObjects(count: number): Promise<{ path: string; versions: string[] }> {
  const path = await newNamespace(t.client);
  const versions: string[] = [];
  for (let i = 0; i < count; i++) {
    const { body } = await t.client.send(
      'POST',
      path,
      configMap(`c${String(i).padStart(3, '0')}`, { parity: i % 2 ? 'odd' : 'even' }),
    );
    versions.push(body.metadata.resourceVersion);
  }
  return { path, versions };
}

const names = (list: Any): string[] =>
  list.items.map((item: Any) => item.metadata.name).filter((name: string) => name !== 'kube-root-ca.crt');

describe('get', () => {
  it.each([
    ['', 200],
    ['?resourceVersion=0', 200],
    ['?resourceVersion=1', 200],
  ])('returns the resourceVersion%s', async (query, status) => {
    const { path } = await withObjects(1);
    expect((await t.client.get(`${path}/c000${query}`)).status).toBe(status);
  });

  it('waits for a future resourceVersion, and times out', async () => {
    const { path } = await withObjects(1);
    const { status, body } = await t.client.get(`${path}/c000?resourceVersion=999999`);
    expect(status).toBe(504);
    expect(body).toMatchObject({
      reason: 'Timeout',
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
    });
  });

  it('waits for a future resourceVersion until it exists', async () => {
    const { path, versions } = await withObjects(1);
    const later = t.client.get(`${path}/c000?resourceVersion=${Number(versions[0]) + 1}`);
    await t.client.send('PUT', `${path}/c000`, configMap('c000', {}, { a: '1' }));
    expect((await later).status).toBe(200);
  });
});

describe('list', () => {
  it('paginates one snapshot during concurrent writes', async () => {
    const { path } = await withObjects(7);
    const first = (await t.client.get(`${path}?limit=3`)).body;
    await t.client.send('POST', path, configMap('c0015'));
    await t.client.send('DELETE', `${path}/c005`);
    await t.client.send('PUT', `${path}/c004`, configMap('c004', {}, { changed: 'yes' }));
    const second = (await t.client.get(`${path}?limit=3&continue=${first.metadata.continue}`)).body;
    const third = (await t.client.get(`${path}?limit=3&continue=${second.metadata.continue}`)).body;
    const all = [first, second, third].flatMap(names);
    expect(all).toEqual(['c000', 'c001', 'c002', 'c003', 'c004', 'c005', 'c006']);
    expect(second.items.find((item: Any) => item.metadata.name === 'c004').data).toBeUndefined();
    expect(new Set([first, second, third].map((page) => page.metadata.resourceVersion)).size).toBe(1);
    expect(first.metadata.remainingItemCount).toBe(5);
    expect(third.metadata.continue).toBeUndefined();
    expect(third.metadata.remainingItemCount).toBeUndefined();
  });

  it('has no remainingItemCount with a selector', async () => {
    const { path } = await withObjects(6);
    const page = (await t.client.get(`${path}?limit=2&labelSelector=parity%3Deven`)).body;
    expect(names(page)).toEqual(['c000', 'c002']);
    expect(page.metadata.remainingItemCount).toBeUndefined();
    const rest = (await t.client.get(`${path}?limit=2&labelSelector=parity%3Deven&continue=${page.metadata.continue}`)).body;
    expect(names(rest)).toEqual(['c004']);
  });

  /** resourceVersion and resourceVersionMatch: the result of a read at the second of three writes. */
  it.each([
    ['', 200, 3],
    ['resourceVersion=0', 200, 3],
    ['resourceVersion=0&limit=1', 200, 3],
    ['resourceVersion=RV', 200, 3],
    ['resourceVersion=RV&limit=9', 200, 2],
    ['resourceVersion=RV&resourceVersionMatch=NotOlderThan', 200, 3],
    ['resourceVersion=RV&resourceVersionMatch=NotOlderThan&limit=1', 200, 1],
    ['resourceVersion=RV&resourceVersionMatch=Exact', 200, 2],
    ['resourceVersion=RV&resourceVersionMatch=Exact&limit=1', 200, 1],
    ['resourceVersion=0&resourceVersionMatch=NotOlderThan', 200, 3],
    ['resourceVersion=0&resourceVersionMatch=Exact', 422, 0],
    ['resourceVersionMatch=Exact', 422, 0],
    ['resourceVersion=RV&resourceVersionMatch=Sometimes', 422, 0],
    ['sendInitialEvents=true', 422, 0],
    ['resourceVersion=abc', 400, 0],
    ['resourceVersion=-1', 400, 0],
    ['limit=x', 400, 0],
    ['continue=x', 400, 0],
    ['resourceVersion=999999&resourceVersionMatch=Exact', 504, 0],
  ])('?%s is %d with %d objects', async (query, status, count) => {
    const path = await newNamespace(t.client);
    await t.client.get(`${path}?${own}`);
    await expect.poll(async () => (await t.client.get(`${path}/kube-root-ca.crt`)).status).toBe(200);
    await t.client.send('POST', path, configMap('a'));
    const { body } = await t.client.send('POST', path, configMap('b'));
    await t.client.send('POST', path, configMap('c'));
    const asked = query.replace('RV', body.metadata.resourceVersion);
    const reply = await t.client.get(`${path}?${asked}`);
    expect(reply.status).toBe(status);
    if (status === 200) expect(names(reply.body)).toHaveLength(count);
  });

  it.each(['..', '../x', '/a/../b', 'a//b'])('refuses a continue token with the path %s', async (start) => {
    const { path } = await withObjects(1);
    const token = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start })).toString('base64url');
    const { status, body } = await t.client.get(`${path}?continue=${token}`);
    expect(status).toBe(400);
    expect(body.message).toContain('continue key is not valid');
  });
});

describe('a compacted snapshot', () => {
  const old = useServer({ etcdCompactionInterval: 40 });

  it('is 410, with a continue token for an inconsistent rest', async () => {
    const path = await newNamespace(old.client);
    for (const name of ['a', 'b', 'c']) await old.client.send('POST', path, configMap(name));
    const first = (await old.client.get(`${path}?limit=1`)).body;
    const { metadata } = (await old.client.send('PUT', `${path}/c`, configMap('c', {}, { a: '1' }))).body;
    await expect
      .poll(
        async () =>
          (await old.client.get(`${path}?resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`)).status,
      )
      .toBe(410);
    const gone = await old.client.get(`${path}?limit=1&continue=${first.metadata.continue}`);
    expect(gone.status).toBe(410);
    expect(gone.body).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 });
    const rest = await old.client.get(`${path}?continue=${gone.body.metadata.continue}`);
    expect(names(rest.body)).toEqual(['b', 'c']);
    expect(Number(rest.body.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
    const watch = await old.client.watch(`${path}?watch=1&resourceVersion=${first.metadata.resourceVersion}`);
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    await watch.ended();
  });
});

describe('a continue token', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const token = (fields: object) => encode(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start: 'a', ...fields }));

  it.each([
    ['a', ': illegal base64 data at input byte 0'],
    ['%25%25', ': illegal base64 data at input byte 0'],
    ['abc=', ': illegal base64 data at input byte 3'],
    ['a%2Fb', ': illegal base64 data at input byte 1'],
    ['abc', ": invalid character 'i' looking for beginning of value"],
    [encode('{'), ': unexpected end of JSON input'],
    [encode('[]'), ': json: cannot unmarshal array into Go value of type storage.continueToken'],
    [encode('"x"'), ': json: cannot unmarshal string into Go value of type storage.continueToken'],
    [encode('null'), ': server does not recognize this encoded version '],
    [encode('{"v":1}'), ': json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    [token({ v: 'x' }), ': server does not recognize this encoded version x'],
    [token({ rv: '5' }), ': json: cannot unmarshal string into Go struct field continueToken.rv of type int64'],
    [token({ rv: 1.5 }), ': json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64'],
    [token({ rv: 0 }), ': incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [token({ rv: undefined }), ': incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [token({ start: 7 }), ': json: cannot unmarshal number into Go struct field continueToken.start of type string'],
    [token({ start: '' }), ': encoded start key empty (version meta.k8s.io/v1)'],
    [token({ start: '../a' }), ': ../a'],
    [token({ start: 'a//b' }), ': a//b'],
  ])('%s is refused', async (text, reason) => {
    const { status, body } = await t.client.get(`/api/v1/configmaps?continue=${text}`);
    expect([status, body.reason, body.message]).toEqual([
      400,
      'BadRequest',
      `invalid continue token: continue key is not valid${reason}`,
    ]);
  });

  it.each(['', '&resourceVersion=0'])('is forbidden for a watch from the current state%s', async (query) => {
    const { status, body } = await t.client.get(`/api/v1/configmaps?watch=1&continue=${token({})}${query}`);
    const problem = 'Forbidden: resourceVersionMatch is forbidden when continue is provided';
    expect([status, body.message]).toEqual([422, `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ${problem}`]);
  });
});

describe('a future resourceVersion', () => {
  const expected = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: expect.stringMatching(/^Timeout: Too large resource version: 999999999, current: \d+$/),
    reason: 'Timeout',
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
    code: 504,
  };
  const continued = Buffer.from('{"v":"meta.k8s.io/v1","rv":999999999,"start":"a"}').toString('base64url');

  it.concurrent.each([
    ['?resourceVersion=999999999'],
    ['?resourceVersion=999999999&resourceVersionMatch=NotOlderThan'],
    ['?resourceVersion=999999999&resourceVersionMatch=Exact'],
    ['?resourceVersion=999999999&limit=5'],
    [`?continue=${continued}`],
    ['/default?resourceVersion=999999999'],
  ])('%s times out after three seconds', async (query) => {
    const began = performance.now();
    const { status, headers, body } = await t.client.get(`/api/v1/namespaces${query}`);
    expect([status, headers['retry-after'], body]).toEqual([504, '1', expected]);
    expect(performance.now() - began).toBeGreaterThan(2900);
  });

  it('is served when it exists', async () => {
    const path = await newNamespace(t.client);
    const { body } = await t.client.send('POST', path, configMap('one'));
    const next = Number(body.metadata.resourceVersion) + 1;
    const list = t.client.get(`${path}?resourceVersion=${next}&resourceVersionMatch=Exact`);
    await t.client.send('POST', path, configMap('two'));
    expect((await list).body.metadata.resourceVersion).toBe(String(next));
  });
});
