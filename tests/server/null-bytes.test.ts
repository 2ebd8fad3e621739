import { expect, it } from 'vitest';
import { useServer } from '../support/server.ts';

const t = useServer();

it.each([
  ['configmaps', 'binaryData'],
  ['secrets', 'data'],
])('%s whose %s is null at a key have no bytes there', async (plural, field) => {
  const path = `/api/v1/namespaces/default/${plural}`;
  const created = await t.client.send('POST', path, { metadata: { name: 'null' }, [field]: { a: null, b: 'AA==' } });
  expect([created.status, created.body[field]]).toEqual([201, { a: '', b: 'AA==' }]);
  expect((await t.client.get(`${path}/null`)).body[field]).toEqual({ a: '', b: 'AA==' });
  const inProtobuf = await t.client.get(`${path}/null`, { accept: 'application/vnd.kubernetes.protobuf' });
  expect(inProtobuf.status).toBe(200);
});
