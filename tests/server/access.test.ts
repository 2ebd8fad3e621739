import { mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useServer } from '../support/server.ts';

const tokenFile = join(mkdtempSync(join(tmpdir(), 'tsukube-tokens-')), 'tokens.csv');
writeFileSync(tokenFile, 'sesame,ali,1,"thieves,others"\nplain,bob,2\n', { mode: 0o600 });

const t = useServer({ tokenAuthFile: tokenFile });
const otherServer = useServer();

interface Credentials {
  readonly token?: string;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly headers?: Record<string, string>;
}

function ask(
  path: string,
  { token, headers = {}, ...tls }: Credentials = {},
  method = 'GET',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const all = token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
    const sent = request(
      t.client.url + path,
      { method, ca: t.client.tls.ca, headers: all, agent: false, ...tls },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ status: response.statusCode as number, text: Buffer.concat(chunks).toString() });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

describe('access', () => {
  it.each(['/healthz', '/livez', '/readyz', '/version'])('%s needs no authentication', async (path) => {
    expect((await ask(path)).status).toBe(200);
  });

  it.each(['/', '/api', '/apis', '/api/v1/namespaces', '/metrics', '/livez/ping', '/logs/', '/openapi/v2', '/nosuch'])(
    '%s needs authentication',
    async (path) => {
      const { status, text } = await ask(path);
      expect(status).toBe(403);
      expect(JSON.parse(text)).toMatchObject({
        kind: 'Status',
        reason: 'Forbidden',
        message: expect.stringContaining('User "system:anonymous" cannot'),
      });
    },
  );

  it('public paths accept only GET from unauthenticated clients', async () => {
    expect((await ask('/healthz', {}, 'POST')).status).toBe(403);
  });

  it.each([
    ['a token of --token-auth-file', 'sesame', 200],
    ['a token without groups', 'plain', 200],
    ['an unknown token', 'guess', 401],
    ['a part of a token', 'sesam', 401],
  ])('%s', async (_what, token, status) => {
    expect((await ask('/api', { token })).status).toBe(status);
    if (status === 401) expect((await ask('/healthz', { token })).status).toBe(401);
  });

  it('a certificate of the server’s CA', async () => {
    const { cert, key } = t.client.tls;
    expect((await ask('/api/v1/namespaces', { cert, key })).status).toBe(200);
  });

  it('a certificate of another CA is refused', async () => {
    const { cert, key } = otherServer.client.tls;
    expect((await ask('/api/v1/namespaces', { cert, key })).status).toBe(401);
    expect((await ask('/healthz', { cert, key })).status).toBe(401);
  });

  it.each([[{ 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }], [{ authorization: 'Basic YWRtaW46YWRtaW4=' }]])(
    'headers without a proxy certificate prove no identity: %o',
    async (headers) => {
      expect((await ask('/api/v1/namespaces', { headers })).status).toBe(403);
    },
  );
});
