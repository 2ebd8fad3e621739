import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks, placeOf, readDocument } from '../docs/documents.ts';
import { useWorkplace } from '../kubectl/terminal.ts';
import { parseTranscript, renderTranscript, replayTranscript } from '../kubectl/transcript.ts';
import { kubectls } from '../kubectl/versions.ts';
import { startProgram } from '../sdk/example-process.ts';
import { useServer } from '../support/server.ts';

/** Programs of a page: their names, and the output that follows them. Those without are started by the page's terminal. */
function programsOf(page: string): { name: string; code: string; output: string | undefined }[] {
  const parts = readDocument(page)
    .split(/^(?=```ts\n\/\/ \S+\n)/m)
    .slice(1);
  return parts.map((part) => {
    const code = codeBlocks(part, 'ts')[0]?.code ?? '';
    return { name: code.slice(3, code.indexOf('\n')), code, output: codeBlocks(part, 'text')[0]?.code };
  });
}

const pages = ['docs/client.md', 'docs/controllers.md'];
const finite = pages.flatMap((page) => programsOf(page).filter(({ output }) => output !== undefined));
const kubectl = kubectls.find(({ version }) => version === '1.33');

let folder: string;
beforeAll(() => {
  mkdirSync(placeOf('.cache'), { recursive: true });
  folder = mkdtempSync(placeOf('.cache/client-pages-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('programs of the pages', () => {
  const t = useServer();

  it('are all run', () => {
    const blocks = pages.flatMap((page) => codeBlocks(readDocument(page), 'ts'));
    expect(blocks.filter(({ code }) => !code.startsWith('// '))).toEqual([]);
    expect(finite.length).toBe(blocks.length - 1);
  });

  it.each(finite.map((program) => [program.name, program] as const))('%s', async (name, { code, output }) => {
    writeFileSync(join(folder, 'kubeconfig'), t.server.kubeconfig);
    expect(await run(name, code, join(folder, 'kubeconfig'))).toEqual({ status: 0, stdout: output, stderr: '' });
  });
});

describe.skipIf(!kubectl)('docs/controllers.md', () => {
  const t = useServer();
  const workplace = useWorkplace(kubectl as NonNullable<typeof kubectl>, () => t.server.kubeconfig);

  it('from an empty folder to a running controller', { timeout: 60_000 }, async () => {
    const page = readDocument('docs/controllers.md');
    const program = programsOf('docs/controllers.md').find(({ output }) => output === undefined);
    writeFileSync(join(folder, program?.name as string), program?.code as string);
    const shell = workplace.shell('default');
    const controller = await startProgram(join(folder, program?.name as string), { KUBECONFIG: shell.env.KUBECONFIG });
    const exchanges = codeBlocks(page, 'console').flatMap(({ code }) => parseTranscript(code, '1.33'));
    const actual = await replayTranscript(exchanges, shell);
    expect(await controller.stop()).toBe(0);
    expect(renderTranscript(actual)).toBe(renderTranscript(exchanges));
  });
});

/** Bundles a program with the sources of the client and runs it. */
async function run(name: string, code: string, kubeconfig: string) {
  const [entry, outfile] = [join(folder, name), join(folder, `${name}.mjs`)];
  writeFileSync(entry, code);
  const conditions = ['tsukube-source'];
  const external = ['yaml', 're2js'];
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions,
    external,
  });
  const child = spawn(process.execPath, [outfile], { env: { PATH: process.env.PATH, KUBECONFIG: kubeconfig } });
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      texts[stream] += text;
    });
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return { status, ...texts };
}
