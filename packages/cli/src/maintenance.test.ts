import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { main } from './commands/main.ts';

let parent: string;
let dataDir: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tsukube-maintenance-'));
  dataDir = join(parent, 'dir');
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(parent, { recursive: true, force: true });
});

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err] = [process.stdout, process.stderr].map((stream) => {
    const pieces: string[] = [];
    vi.spyOn(stream, 'write').mockImplementation((piece) => pieces.push(String(piece)) > 0);
    return pieces;
  }) as [string[], string[]];
  const code = await main(argv);
  vi.restoreAllMocks();
  return { code, out: out.join(''), err: err.join('') };
}

/** Runs a server during the action. */
async function serving(action: (server: Awaited<ReturnType<typeof startServer>>) => Promise<void>): Promise<void> {
  const server = await startServer({ dataDir, securePort: 0 });
  try {
    await action(server);
  } finally {
    await server.close();
  }
}

const objectAt = (name: string) => `/registry/configmaps/default/${name}`;

async function writeObjects(): Promise<void> {
  await serving(async ({ store }) => {
    for (const name of ['a', 'b', 'c'])
      await store.create(
        objectAt(name),
        Buffer.from(`{"kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"x":"text of ${name}"}}`),
      );
  });
}

function damage(change: (bytes: Buffer) => void): void {
  const file = join(dataDir, 'data', 'data.mdb');
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
}

function damageText(text: string): void {
  damage((bytes) => {
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at] = 0;
  });
}

it('an intact data dir needs no repair', async () => {
  await writeObjects();
  const checked = await run('check', '--data-dir', dataDir);
  expect(checked).toEqual({
    code: 0,
    out: expect.stringMatching(/^Read .*MiB: \d+ objects, .*\nEverything is whole\.\n$/),
    err: '',
  });
  expect(await run('repair', '--data-dir', dataDir)).toMatchObject({
    code: 0,
    out: expect.stringContaining('nothing to repair'),
  });
});

it('check lists a damaged value; repair drops it and keeps the damaged database', async () => {
  await writeObjects();
  damageText('text of b');
  const checked = await run('check', '--data-dir', dataDir);
  expect(checked.code).toBe(1);
  expect(checked.out).toContain(`Damaged:\n  the value of ${objectAt('b')}\n`);
  expect(checked.out).toContain(`tsukube repair --data-dir ${dataDir}`);
  const damaged = readFileSync(join(dataDir, 'data', 'data.mdb'));
  const repaired = await run('repair', '--data-dir', dataDir);
  expect(repaired).toMatchObject({ code: 0, out: expect.stringContaining(`Lost:\n  ${objectAt('b')}\n`) });
  const backup = readdirSync(dataDir).find((name) => name.startsWith('data.damaged-')) as string;
  expect(readFileSync(join(dataDir, backup, 'data.mdb')).equals(damaged)).toBe(true);
  expect(await run('check', '--data-dir', dataDir)).toMatchObject({ code: 0 });
  await serving(async ({ store }) => {
    expect(await store.get(objectAt('b'))).toBeUndefined();
    for (const name of ['a', 'c'])
      expect(Buffer.from((await store.get(objectAt(name)))?.value ?? []).toString()).toContain(`text of ${name}`);
    expect(await store.revision()).toBeGreaterThan(1_000_000);
  });
});

it('an unusable database is repaired into another data dir', async () => {
  await writeObjects();
  // The remaining meta page may be that of the transaction before the last.
  await serving(async ({ store }) => void (await store.create(objectAt('last'), Buffer.from('{}'))));
  damage((bytes) => bytes.fill(0, 0, 8192));
  expect((await run('check', '--data-dir', dataDir)).code).toBe(1);
  await expect(startServer({ dataDir, securePort: 0 })).rejects.toThrow('is damaged');
  const output = join(parent, 'other');
  expect(await run('repair', '--data-dir', dataDir, '--output', output)).toMatchObject({ code: 0 });
  expect((await run('check', '--data-dir', output)).code).toBe(0);
  dataDir = output;
  await serving(async ({ store }) => {
    expect((await store.list('/registry/configmaps/default/')).entries.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['a', 'b', 'c'].map(objectAt)),
    );
  });
});

it('rejects a data dir in use, a missing one, and unknown flags', async () => {
  await serving(async () => {
    for (const command of ['check', 'repair'])
      expect(await run(command, '--data-dir', dataDir)).toMatchObject({
        code: 1,
        err: expect.stringContaining('is in use by another server'),
      });
  });
  const nowhere = join(parent, 'nowhere');
  expect(await run('check', '--data-dir', nowhere)).toEqual({
    code: 1,
    out: '',
    err: `tsukube: there is no database in ${nowhere}\n`,
  });
  expect(await run('check', '--dat', nowhere)).toMatchObject({ code: 2 });
});
