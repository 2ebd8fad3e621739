import { expect, it } from 'vitest';
import { useServer } from '../support/server.ts';

const t = useServer();

it('a delete with a patch as body is refused', async () => {
  const path = '/api/v1/namespaces/default/configmaps';
  await t.client.send('POST', path, { metadata: { name: 'kept' } });
  const patch = [{ op: 'copy', from: '/data/a', path: '/data/b' }];
  const { status } = await t.client.send('DELETE', `${path}/kept`, patch, { 'content-type': 'application/json-patch+json' });
  expect(status).toBe(415);
});
