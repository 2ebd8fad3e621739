import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '@tsukube/cli';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { registerApi, useBackends } from '../support/aggregated-backend.ts';
import { useServer } from '../support/server.ts';

const t = useServer();
const { aggregated, becomes } = useBackends(t);
const folder = mkdtempSync(join(tmpdir(), 'tsukube-explain-'));
const kubeconfig = join(folder, 'kubeconfig');

beforeAll(async () => {
  writeFileSync(kubeconfig, t.server.kubeconfig);
  await aggregated('remote.example.com');
  const nowhere = { namespace: 'default', name: 'nowhere' };
  await registerApi(t.client, 'absent.example.com', nowhere, { insecureSkipTLSVerify: true });
  await becomes('absent.example.com', { reason: 'ServiceNotFound' });
  const names = { plural: 'things', singular: 'thing', kind: 'Thing' };
  const schema = { openAPIV3Schema: { type: 'object' } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await t.client.send('POST', path, {
    metadata: { name: 'things.custom.example.com' },
    spec: { group: 'custom.example.com', scope: 'Namespaced', names, versions },
  });
  await vi.waitFor(async () => expect((await t.client.get('/apis/custom.example.com/v1/things')).status).toBe(200), 5000);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      out += String(text);
      return true;
    }),
  );
  const code = await main(['explain-path', '--kubeconfig', kubeconfig, ...args]);
  for (const spy of spies) spy.mockRestore();
  return { code, out };
}

it.each([
  [
    '/apis/remote.example.com/v1/flunders',
    0,
    'aggregator',
    /the APIService v1.remote.example.com leads to the Service default\/remote:\d+; Available is True \(Passed\)/,
  ],
  [
    '/apis/absent.example.com/v1/flunders',
    1,
    'aggregator',
    /503: .*ServiceNotFound\): service\/nowhere in "default" is not present/,
  ],
  ['/openapi/v3/apis/remote.example.com/v1', 0, 'aggregator', /leads to the Service/],
  ['/apis/custom.example.com/v1/namespaces/default/things/one', 0, 'custom resources', /things.custom.example.com serves v1/],
  ['/apis/custom.example.com/v2/things', 1, 'not found', /404/],
  ['/api/v1/namespaces/default/pods/web/log', 0, 'built-in resources', /v1 has pods\/log/],
  ['/apis/apps/v1/deployments?watch=true', 0, 'built-in resources', /apps\/v1 has deployments/],
  ['/apis/apps/v1/nothings', 1, 'not found', /404/],
  ['/apis', 0, 'discovery', /lists/],
  ['/apis/custom.example.com/v1', 0, 'discovery', /lists/],
  ['/apis/none.example.com', 1, 'not found', /404/],
  ['/openapi/v2', 0, 'OpenAPI', /merged/],
  ['/readyz', 0, 'pages', /listed/],
  ['/elsewhere', 1, 'not found', /404/],
])('GET %s', async (path, expected, delegate, reason) => {
  const { code, out } = await run('GET', path);
  const last = out.trim().split('\n').at(-1) ?? '';
  expect(last).toMatch(new RegExp(`^ {2}${delegate} +ANSWERS`));
  expect(last).toMatch(reason);
  expect(code).toBe(expected);
  const { status } = await t.client.get(path.replace('?watch=true', ''));
  // The server behaves as the command says.
  if (expected === 1) expect(String(status)).toBe(/\b(\d{3}):/.exec(last)?.[1]);
});

it('prints the delegates in order, with verb and authorization', async () => {
  const { out } = await run('DELETE', '/api/v1/namespaces/default/configmaps');
  expect(out).toBe(`DELETE /api/v1/namespaces/default/configmaps
  verb deletecollection, configmaps of v1, namespace default
  authorization: allowed
  aggregator          passes   the APIService v1. is Local
  custom resources    passes   the path names no resource of a custom group
  built-in resources  ANSWERS  v1 has configmaps
`);
});

it('names verbs that are missing, and invalid arguments', async () => {
  const { code, out } = await run('DELETE', '/apis/authorization.k8s.io/v1/subjectaccessreviews/x');
  expect([code, out]).toEqual([
    1,
    expect.stringContaining('405: subjectaccessreviews of authorization.k8s.io/v1 has the verbs create, but not delete'),
  ]);
  expect(await run('GET')).toMatchObject({ code: 2, out: expect.stringContaining('needs a METHOD and a PATH') });
});
