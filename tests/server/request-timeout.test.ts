import { describe, expect, it } from 'vitest';
import { configMap, newNamespace, own, useServer } from '../support/server.ts';

const under = useServer();

describe('?timeout=', () => {
  it.each(['7m9s', '1h2m3.5s', '100ms', '100000µs', '100000us', '%2B1.5h', '0', '0s', '-1s', '1ns0.5h'])(
    '%s is a duration',
    async (timeout) => {
      const path = await newNamespace(under.client);
      const { status } = await under.client.send('POST', `${path}?timeout=${timeout}`, configMap('timed'));
      expect(status).toBe(201);
    },
  );

  it.each([
    ['7', 'time: missing unit in duration "7"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['abc', 'time: invalid duration "abc"'],
    ['+1.5h', 'time: invalid duration " 1.5h"'],
    ['1.5.5s', 'time: missing unit in duration "1.5.5s"'],
    ['9999999999h', 'time: invalid duration "9999999999h"'],
  ])('%s is refused', async (timeout, problem) => {
    const { status, body } = await under.client.get(`/api/v1/configmaps?timeout=${timeout}`);
    expect([status, body]).toEqual([
      400,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `invalid timeout specified in the request URL - ${problem}`,
        reason: 'BadRequest',
        code: 400,
      },
    ]);
  });

  it.each(['7m9s', '1ms', 'abc'])('a watch ignores %s', async (timeout) => {
    const path = await newNamespace(under.client);
    const watch = await under.client.watch(`${path}?watch=1&timeout=${timeout}&timeoutSeconds=429&${own}`);
    expect(watch.status).toBe(200);
    await under.client.send('POST', path, configMap('seen'));
    expect((await watch.next()).object.metadata.name).toBe('seen');
    watch.close();
  });

  it.each(['/api/v1/namespaces/default/pods/none/log', '/api/v1/namespaces/default/services/none/proxy'])(
    '%s ignores it',
    async (path) => {
      expect((await under.client.get(`${path}?timeout=abc`)).status).not.toBe(400);
    },
  );

  it('a timeout below the server’s limit ends the request', async () => {
    const { status, body } = await under.client.get('/api/v1/configmaps?resourceVersion=999999&timeout=50ms');
    expect([status, body.reason]).toEqual([504, 'Timeout']);
  });
});
