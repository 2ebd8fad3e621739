import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Store } from '../store.ts';
import { checkDatabase, openLmdb, salvageDatabase } from './index.ts';

const PAGE = 8192;

let parent: string;
let path: string;
let newest: number;
let expected: Map<string, string>;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'tsukube-salvage-'));
  path = join(parent, 'data');
  const store = await openLmdb({ path, noSync: true });
  await fill(store);
  newest = await store.revision();
  expected = await contents(store);
  await store.close();
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

async function fill(store: Store): Promise<void> {
  const value = (i: number) => Buffer.from(`value ${i} `.repeat(i % 50 === 1 ? 3000 : 1 + (i % 90)));
  const created = await Promise.all(
    Array.from({ length: 600 }, (_, i) => store.create(`/things/${i % 7}/${i}`, value(i), ttl(i))),
  );
  for (const [i, { key, revision }] of created.entries()) {
    if (i % 6 === 0) await store.delete(key, revision);
    else if (i % 4 === 0) await store.update(key, value(i + 1), revision, ttl(i));
    if (i === 400) await store.compact(await store.revision());
  }
}

const ttl = (i: number) => (i % 13 === 0 ? { ttlSeconds: 3600 } : {});

async function contents(store: Store): Promise<Map<string, string>> {
  return new Map((await store.list('/')).entries.map(({ key, value }) => [key, Buffer.from(value).toString()]));
}

function damage(change: (bytes: Buffer) => void): void {
  const file = join(path, 'data.mdb');
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
}

/** The pages of a type: 1 for branch, 2 for leaf, 4 for overflow pages. */
function pagesOf(bytes: Buffer, flags: number): number[] {
  return Array.from({ length: bytes.length / PAGE }, (_, i) => i * PAGE).filter((at) => bytes.readUInt16LE(at + 18) === flags);
}

/** Salvages the database and opens the result. */
async function salvaged(): Promise<{ report: Awaited<ReturnType<typeof salvageDatabase>>; found: Map<string, string> }> {
  const before = readFileSync(join(path, 'data.mdb'));
  const output = join(parent, 'salvaged');
  const report = await salvageDatabase(path, output);
  expect(readFileSync(join(path, 'data.mdb')).equals(before)).toBe(true);
  expect(checkDatabase(output)).toMatchObject({ problems: [], damaged: [], damagedHistory: 0, objects: report.saved });
  const store = await openLmdb({ path: output });
  const found = await contents(store);
  expect(found.size).toBe(report.saved);
  expect(await store.revision()).toBe(report.revision);
  expect((await store.create('/new', Buffer.from('1'))).revision).toBe(report.revision + 1);
  await store.close();
  return { report, found };
}

it('finds no problems in an intact database', () => {
  expect(checkDatabase(path)).toMatchObject({
    problems: [],
    damaged: [],
    damagedHistory: 0,
    objects: expected.size,
    revision: newest,
  });
});

it('saves all of an intact database, with later revisions', async () => {
  const { report, found } = await salvaged();
  expect(report).toEqual({ saved: expected.size, lost: [], uncertain: [], unknown: 0, revision: newest + 1_000_000 });
  expect(found).toEqual(expected);
});

it('reports corrupt values and saves the others', async () => {
  const [key, value] = [...expected].find(([, text]) => text.length > PAGE) as [string, string];
  damage((bytes) => {
    for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + 1)) bytes[at] = 0;
  });
  expect(checkDatabase(path)).toMatchObject({ problems: [], damaged: [key] });
  const { report, found } = await salvaged();
  expect(report).toMatchObject({ lost: [key], saved: expected.size - 1, unknown: 0 });
  expected.delete(key);
  expect(found).toEqual(expected);
});

it('saves everything when all branch pages are lost', async () => {
  damage((bytes) => {
    for (const at of pagesOf(bytes, 1)) bytes.fill(0, at, at + PAGE);
  });
  expect(checkDatabase(path).problems).not.toEqual([]);
  const { report, found } = await salvaged();
  expect(report).toMatchObject({ saved: expected.size, lost: [], unknown: 0 });
  expect(found).toEqual(expected);
});

it.each([0, 1])('saves everything when meta page %i is lost', async (index) => {
  damage((bytes) => bytes.fill(0, index * PAGE, (index + 1) * PAGE));
  const { found } = await salvaged();
  expect(found).toEqual(expected);
});

it('saves all values found in the pages when the trees are lost', async () => {
  damage((bytes) => bytes.fill(0, 0, 2 * PAGE));
  const { report, found } = await salvaged();
  for (const [key, value] of expected) expect(found.get(key)).toBe(value);
  expect(report.uncertain).toHaveLength(report.saved);
});

it('never saves a wrong value', async () => {
  for (let round = 1; round <= 15; round++) {
    const copy = `${path}-${round}`;
    cpSync(path, copy, { recursive: true });
    const file = join(copy, 'data.mdb');
    const bytes = readFileSync(file);
    for (let i = 0; i < round * 3; i++) {
      const at = ((i * 7919 + round * 104_729) % (bytes.length / PAGE)) * PAGE;
      bytes.fill(i, at, at + PAGE);
    }
    writeFileSync(file, bytes);
    const output = `${copy}-saved`;
    const report = await salvageDatabase(copy, output);
    const store = await openLmdb({ path: output });
    for (const [key, value] of await contents(store))
      if (!report.uncertain.includes(key)) expect([key, value]).toEqual([key, expected.get(key)]);
    await store.close();
  }
});
