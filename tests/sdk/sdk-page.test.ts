import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks, placeOf, readDocument } from '../docs/documents.ts';
import { useWorkplace } from '../kubectl/terminal.ts';
import { parseTranscript, renderTranscript, replayTranscript } from '../kubectl/transcript.ts';
import { kubectls } from '../kubectl/versions.ts';
import { type ExampleProcess, startProgram } from './example-process.ts';

const page = readDocument('docs/sdk.md');
const kubectl = kubectls.find(({ version }) => version === '1.33');

/** tests/docs/snippets.test.ts runs the programs that start with an import. */
it('every program of docs/sdk.md is run', () => {
  const others = codeBlocks(page, 'ts').filter(({ code }) => !code.startsWith('import '));
  expect(others.map(({ code }) => code.split('\n', 1)[0])).toEqual(['// lamps.ts']);
});

describe.skipIf(!kubectl)('docs/sdk.md', () => {
  let folder: string;
  let program: ExampleProcess;
  beforeAll(async () => {
    mkdirSync(placeOf('.cache'), { recursive: true });
    folder = mkdtempSync(placeOf('.cache/sdk-page-'));
    writeFileSync(join(folder, 'lamps.ts'), codeBlocks(page, 'ts')[0]?.code ?? '');
    program = await startProgram(join(folder, 'lamps.ts'), { PORT: String(await freePort()) }, folder);
  }, 60_000);
  afterAll(async () => {
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const workplace = useWorkplace(kubectl as NonNullable<typeof kubectl>, () =>
    readFileSync(join(folder, 'lamps.kubeconfig'), 'utf8'),
  );

  it('from an empty folder to kubectl', { timeout: 60_000 }, async () => {
    const exchanges = codeBlocks(page, 'console').flatMap(({ code }) => parseTranscript(code, '1.33'));
    const actual = await replayTranscript(exchanges, { ...workplace.shell('default'), cwd: folder });
    expect(renderTranscript(actual).replace(/^\[exit \d+\]\n/gm, '')).toBe(renderTranscript(exchanges));
    expect(await program.stop()).toBe(0);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
