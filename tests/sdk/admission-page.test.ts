import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { codeBlocks, placeOf, readDocument, section } from '../docs/documents.ts';
import { useWorkplace } from '../kubectl/terminal.ts';
import { type Exchange, parseTranscript, renderTranscript, replayTranscript } from '../kubectl/transcript.ts';
import { kubectls, missingKubectls } from '../kubectl/versions.ts';
import { useServer } from '../support/server.ts';
import { startProgram } from './example-process.ts';

const page = readDocument('docs/admission.md');
const webhookPart = section(page, '## A webhook in TypeScript');
const policyPart = section(page, '## A policy in CEL');

/** The page with another API server: WEBHOOK_PEER is the path of its kubeconfig. */
const peer = process.env.WEBHOOK_PEER;

describe.each(missingKubectls)('%s', () => {
  it.skip('docs/admission.md');
});

describe.each(kubectls.map((kubectl) => [kubectl.version, kubectl] as const))('kubectl %s', (version, kubectl) => {
  const t = useServer();
  const workplace = useWorkplace(kubectl, () => (peer ? readFileSync(peer, 'utf8') : t.server.kubeconfig));

  it('docs/admission.md: a webhook', { timeout: 120_000 }, async () => {
    const shell = workplace.shell('default');
    const program = await startProgram(webhookFile(), { KUBECONFIG: shell.env.KUBECONFIG });
    const [expected, actual]: [Exchange[], Exchange[]] = [[], []];
    try {
      // kube-apiserver reads new configurations a moment later.
      if (peer) await delay(2000);
      for (const { before, code } of codeBlocks(webhookPart, 'console')) {
        if (before.includes('Stop the program')) expect(await program.stop()).toBe(0);
        const exchanges = parseTranscript(code, version);
        expected.push(...exchanges);
        actual.push(...(await replayTranscript(exchanges, shell)));
      }
    } finally {
      await program.stop();
    }
    expect(withoutExitCodes(actual)).toBe(renderTranscript(expected));
  });

  it('docs/admission.md: a policy', { timeout: 120_000 }, async () => {
    const shell = workplace.shell('default');
    const transcript = codeBlocks(policyPart, 'console').map(({ code }) => code);
    const expected = parseTranscript(transcript.join(''), version);
    expect(withoutExitCodes(await replayTranscript(expected, shell))).toBe(renderTranscript(expected));
  });
});

/** The program of the page, in the workspace so that the name of the package resolves. The page starts it by its name. */
function webhookFile(): string {
  const code = codeBlocks(webhookPart, 'ts')[0]?.code ?? '';
  const name = /^\/\/ (\S+)\n/.exec(code)?.[1] as string;
  expect(codeBlocks(webhookPart, 'sh').map((block) => block.code)).toEqual([
    `KUBECONFIG=.tsukube/admin.kubeconfig node ${name}\n`,
  ]);
  const folder = placeOf(join('.cache', 'admission-page'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), code);
  return join(folder, name);
}

/** The page does not show exit codes. */
function withoutExitCodes(exchanges: readonly Exchange[]): string {
  return renderTranscript(exchanges).replace(/^\[exit \d+\]\n/gm, '');
}
