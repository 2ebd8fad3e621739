import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, placeOf, readDocument, section } from '../docs/documents.ts';
import { useWorkplace } from '../kubectl/terminal.ts';
import { parseTranscript, renderTranscript, replayTranscript } from '../kubectl/transcript.ts';
import { kubectls } from '../kubectl/versions.ts';
import { useServer } from '../support/server.ts';

const page = 'docs/aggregation.md';
/** The sections for operators, which need no program beside the server. */
const sections = ['## Register an API server', '## Which part of the server answers'];
const bundle = placeOf('packages/tsukube/dist/tsukube.cjs');
const kubectl = kubectls.find(({ version }) => version === '1.33');

describe.skipIf(!kubectl || !existsSync(bundle))(page, () => {
  const t = useServer();
  const workplace = useWorkplace(kubectl as NonNullable<typeof kubectl>, () => t.server.kubeconfig);

  it('shows the output of kubectl and tsukube', { timeout: 60_000 }, async () => {
    const shell = workplace.shell('default');
    const PATH = [withTsukube(shell.cwd), shell.env.PATH].join(delimiter);
    const parts = sections.map((heading) => section(readDocument(page), heading));
    const blocks = parts.flatMap((part) => codeBlocks(part, 'console'));
    expect(blocks.length).toBe(3);
    const exchanges = blocks.flatMap(({ code }) => parseTranscript(code, '1.33'));
    const actual = await replayTranscript(exchanges, { ...shell, env: { ...shell.env, PATH } });
    expect(renderTranscript(actual)).toBe(renderTranscript(exchanges));
  });
});

/** A folder with the command `tsukube`. */
function withTsukube(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'tsukube'), `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`);
  chmodSync(join(bin, 'tsukube'), 0o755);
  return bin;
}
