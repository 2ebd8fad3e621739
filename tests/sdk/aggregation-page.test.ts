import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeClient, loadConfig } from '@tsukube/client';
import { defineResource, serveAggregated } from '@tsukube/sdk';
import { describe, expect, it } from 'vitest';
import { codeBlocks, placeOf, readDocument, section } from '../docs/documents.ts';
import { useWorkplace } from '../kubectl/terminal.ts';
import { type Exchange, parseTranscript, renderTranscript, replayTranscript } from '../kubectl/transcript.ts';
import { kubectls, missingKubectls } from '../kubectl/versions.ts';
import { useServer } from '../support/server.ts';
import { startProgram } from './example-process.ts';

const part = section(readDocument('docs/aggregation.md'), '## Write an aggregated API server');

describe.each(missingKubectls)('%s', () => {
  it.skip('docs/aggregation.md');
});

describe.each(kubectls.map((kubectl) => [kubectl.version, kubectl] as const))('kubectl %s', (version, kubectl) => {
  const t = useServer();
  const workplace = useWorkplace(kubectl, () => t.server.kubeconfig);

  it('docs/aggregation.md: an API server, and its permissions', { timeout: 120_000 }, async () => {
    const shell = workplace.shell('default');
    const program = await startProgram(programFile(), { KUBECONFIG: shell.env.KUBECONFIG });
    const [expected, actual]: [Exchange[], Exchange[]] = [[], []];
    try {
      for (const { before, code } of codeBlocks(part, 'console')) {
        if (before.includes('Stop the program')) expect(await program.stop()).toBe(0);
        const exchanges = parseTranscript(code, version);
        expected.push(...exchanges);
        actual.push(...(await replayTranscript(exchanges, shell)));
      }
    } finally {
      await program.stop();
    }
    expect(renderTranscript(actual).replace(/^\[exit \d+\]\n/gm, '')).toBe(renderTranscript(expected));
    await servesWithPermissionsOf('system:serviceaccount:default:clock', t.server.kubeconfig);
  });
});

/** The permissions of the page are sufficient, also for a certificate that is made and a registration that is removed. */
async function servesWithPermissionsOf(user: string, kubeconfig: string): Promise<void> {
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'];
  const client = new KubeClient(await loadConfig({ kubeconfig }), { rateLimit: false, impersonate: { user, groups } });
  const errors: unknown[] = [];
  const resource = defineResource({ group: 'sa.example.com', version: 'v1', kind: 'Thing', schema: { type: 'object' } });
  const service = { namespace: 'default', name: 'things' };
  const onError = (error: unknown) => void errors.push(error);
  const server = await serveAggregated({ resources: [resource], service, client, unregisterOnClose: true, onError });
  await server.available();
  await server.registration.refresh();
  await server.close();
  client.close();
  expect(errors).toEqual([]);
}

/** The program of the page, in the workspace so that the name of the package resolves. The page starts it by its name. */
function programFile(): string {
  const code = codeBlocks(part, 'ts')[0]?.code ?? '';
  const name = /^\/\/ (\S+)\n/.exec(code)?.[1] as string;
  expect(codeBlocks(part, 'sh').map((block) => block.code)).toEqual([`KUBECONFIG=.tsukube/admin.kubeconfig node ${name}\n`]);
  const folder = placeOf(join('.cache', 'aggregation-page'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), code);
  return join(folder, name);
}
