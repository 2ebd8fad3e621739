import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../contract/index.ts';
import { binaryTable, openEnvironment, STATE } from './environment.ts';
import { checkDatabase, DamagedDatabase, openLmdb } from './index.ts';

let path: string;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'tsukube-layout-'));
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

const f64 = (...numbers: number[]) => Buffer.from(Float64Array.of(...numbers).buffer);

/** Layout 1: no checksums, and no revision in the records. */
async function writeLayout1(records: readonly { type: number; key: string; value: string; previous: number; created: number }[]) {
  const tables = openEnvironment({ path });
  const [log, current] = [binaryTable<number>(tables, 'log'), binaryTable<string>(tables, 'current')];
  for (const [i, { type, key, value, previous, created }] of records.entries()) {
    const header = Buffer.alloc(3);
    header.writeUInt8(type);
    header.writeUInt16LE(key.length, 1);
    await log.put(i + 2, Buffer.concat([header, f64(previous, created), Buffer.from(key + value)]));
    if (type === 0) await current.put(key, key === '/c' ? f64(i + 2, created, 5000) : f64(i + 2, created));
    else await current.remove(key);
    if (key === '/c') await tables.expiry.put([5000, i + 2], Buffer.from(key));
  }
  await tables.meta.put(STATE, f64(1, records.length + 1, 0, 0), 7);
  await tables.root.close();
}

it('migrates layout 1 by adding checksums', async () => {
  await writeLayout1([
    { type: 0, key: '/a', value: 'one', previous: 0, created: 2 },
    { type: 0, key: '/a', value: 'two', previous: 2, created: 2 },
    { type: 0, key: '/b', value: 'x', previous: 0, created: 4 },
    { type: 1, key: '/b', value: '', previous: 4, created: 4 },
    { type: 0, key: '/c', value: 'event', previous: 0, created: 6 },
  ]);
  const clock = new ManualClock();
  for (let opened = 0; opened < 2; opened++) {
    const store = await openLmdb({ path, clock });
    const { entries, revision } = await store.list('/');
    expect(revision).toBe(6);
    expect(entries.map(({ key, value, revision: at, created }) => [key, String(value), at, created])).toEqual([
      ['/a', 'two', 3, 2],
      ['/c', 'event', 6, 6],
    ]);
    for await (const { changes } of store.watch('/', 1, AbortSignal.timeout(5000))) {
      expect(changes.map(({ type, entry }) => [type, entry.key, String(entry.value)])).toEqual([
        ['put', '/a', 'one'],
        ['put', '/a', 'two'],
        ['put', '/b', 'x'],
        ['delete', '/b', 'x'],
        ['put', '/c', 'event'],
      ]);
      break;
    }
    await store.close();
  }
  const store = await openLmdb({ path, clock });
  clock.advance(10);
  await expect.poll(async () => store.get('/c')).toBeUndefined();
  await store.close();
});

it.each([3, Number.NaN])('refuses layout %s', async (layout) => {
  const tables = openEnvironment({ path });
  await tables.meta.put(STATE, f64(layout, 1, 0, 0), 1);
  await tables.root.close();
  await expect(openLmdb({ path })).rejects.toThrow(`the database has layout ${layout}, this version reads layouts 1 and 2`);
});

it.each([
  ['is empty', () => truncateSync(join(path, 'data.mdb'), 0)],
  ['is missing', () => unlinkSync(join(path, 'data.mdb'))],
])('does not initialize a database whose file %s', async (problem, lose) => {
  await (await openLmdb({ path })).close();
  lose();
  const opening = openLmdb({ path });
  await expect(opening).rejects.toThrow(DamagedDatabase);
  await expect(opening).rejects.toThrow(`${join(path, 'data.mdb')} is damaged: it ${problem}`);
  if (problem === 'is empty') expect(statSync(join(path, 'data.mdb')).size).toBe(0);
});

it('opens a database whose creation was interrupted', async () => {
  await openEnvironment({ path }).root.close();
  const store = await openLmdb({ path });
  await store.create('/a', Buffer.from('1'));
  await store.close();
});

it('refuses a database whose header gives an impossible size', async () => {
  await (await openLmdb({ path })).close();
  const file = join(path, 'data.mdb');
  const bytes = readFileSync(file);
  // Bit 34 of the last page, in both meta pages.
  for (const at of [148, 8192 + 148]) bytes[at] = (bytes[at] as number) ^ 4;
  writeFileSync(file, bytes);
  await expect(openLmdb({ path })).rejects.toThrow(DamagedDatabase);
  expect(checkDatabase(path).problems[0]).toMatch(/^the last page is said to be 17179869\d+, far beyond the end of the file$/);
});
