import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, readDocument, section } from '../docs/documents.ts';
import { notBuilt, type ServerProcess, spawnServer } from '../support/server-process.ts';
import { linkKubectl } from './terminal.ts';
import { type Exchange, parseTranscript, renderTranscript, replayTranscript } from './transcript.ts';
import { kubectls, missingKubectls } from './versions.ts';

const tour = codeBlocks(section(readDocument('README.md'), '## A two-minute tour'), 'console');

describe.each(missingKubectls)('%s', () => {
  it.skip('the tour of the README');
});

describe.skipIf(notBuilt).each(kubectls.map((kubectl) => [kubectl.version, kubectl] as const))(
  'kubectl %s',
  (version, kubectl) => {
    it('the tour of the README', { timeout: 120_000 }, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tsukube-tour-'));
      const shell = {
        cwd: folder,
        env: { PATH: [linkKubectl(kubectl, folder), process.env.PATH].join(delimiter), HOME: folder },
      };
      let server = spawnServer(join(folder, '.tsukube'));
      try {
        const [expected, actual]: [Exchange[], Exchange[]] = [[], []];
        for (const { before, code } of tour) {
          await server.ready;
          if (before.includes('kill -9')) server = await restarted(server, folder);
          const exchanges = parseTranscript(code, version);
          expected.push(...exchanges);
          actual.push(...(await replayTranscript(exchanges, shell)).map(withoutExitCode));
        }
        expect(renderTranscript(actual)).toBe(renderTranscript(expected));
      } finally {
        await server.kill();
        rmSync(folder, { recursive: true });
      }
    });
  },
);

/** The README does not show exit codes. */
function withoutExitCode({ command, output }: Exchange): Exchange {
  return { command, output: output.replace(/^\[exit \d+\]\n$/m, '') };
}

async function restarted(server: ServerProcess, folder: string): Promise<ServerProcess> {
  await server.kill();
  const next = spawnServer(join(folder, '.tsukube'));
  await next.ready;
  return next;
}
