import { describe, expect, it } from 'vitest';
import { codeBlocks, readDocument } from '../docs/documents.ts';
import { useServer } from '../support/server.ts';
import { useWorkplace } from './terminal.ts';
import { parseTranscript, renderTranscript, replayTranscript } from './transcript.ts';
import { kubectls, missingKubectls } from './versions.ts';

const page = codeBlocks(readDocument('docs/crds.md'), 'console')
  .map(({ code }) => code)
  .join('');

describe.each(missingKubectls)('%s', () => {
  it.skip('docs/crds.md');
});

describe.each(kubectls.map((kubectl) => [kubectl.version, kubectl] as const))('kubectl %s', (version, kubectl) => {
  const t = useServer();
  const workplace = useWorkplace(kubectl, () => t.server.kubeconfig);

  it('docs/crds.md', { timeout: 120_000 }, async () => {
    const expected = parseTranscript(page, version);
    const actual = await replayTranscript(expected, workplace.shell('default'));
    // The page does not show exit codes.
    expect(renderTranscript(actual).replace(/^\[exit \d+\]\n/gm, '')).toBe(renderTranscript(expected));
  });
});
