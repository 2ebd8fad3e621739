import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../store.ts';
import { openLmdb } from './index.ts';
import { bundleStore, scriptPath } from './processes/bundle.mjs';

/** `DAMAGE_SEEDS=1-20000` runs that range of seeds. */
const [first = 1, last = 60] = (process.env.DAMAGE_SEEDS ?? '1-60').split('-').map(Number);

let parent: string;
let base: string;
let module: string;

beforeAll(async () => {
  module = await bundleStore();
  parent = mkdtempSync(join(tmpdir(), 'tsukube-damage-'));
  base = join(parent, 'data');
  const store = await openLmdb({ path: base, noSync: true });
  await fill(store);
  const { entries, revision } = await store.list('/');
  const expected = entries.map(({ key, value }) => [key, Buffer.from(value).toString()]);
  writeFileSync(join(base, 'expected.json'), JSON.stringify(expected));
  writeFileSync(join(base, 'history.json'), JSON.stringify({ revision, changes: await history(store, revision) }));
  await store.close();
});

afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** Small values, values of several pages, deletes, expiry, free pages, and history after a compaction. */
async function fill(store: Store): Promise<void> {
  const value = (i: number, round: number) => Buffer.from(`${i}/${round} `.repeat(i % 50 === 0 ? 5000 : 1 + ((i * 7) % 300)));
  const created = await Promise.all(
    Array.from({ length: 700 }, (_, i) => store.create(`/registry/things/${i % 9}/${i}`, value(i, 0), ttl(i))),
  );
  for (const [i, { key, revision }] of created.entries()) {
    if (i % 5 === 0) await store.delete(key, revision);
    else if (i % 3 === 0) await store.update(key, value(i, 1), revision, ttl(i));
    if (i === 500) await store.compact(await store.revision());
  }
}

function ttl(i: number): { ttlSeconds?: number } {
  return i % 11 === 0 ? { ttlSeconds: 3600 } : {};
}

async function history(store: Store, newest: number): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const { changes, revision } of store.watch('/', newest - 90, AbortSignal.timeout(10_000))) {
    for (const { type, entry } of changes) seen.push([entry.revision, type, entry.key, Buffer.from(entry.value).toString()]);
    if (revision >= newest) return seen;
  }
  return seen;
}

it(`serves no wrong value and never crashes, in ${last - first + 1} kinds of corruption`, async () => {
  const child = spawn(process.execPath, [scriptPath('damage.mjs'), module, base, String(first), String(last)]);
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const [code, signal] = await once(child, 'close');
  const lines = output.trim().split('\n');
  expect({ code, signal, errors, last: lines.at(-1) }).toMatchObject({ code: 0, signal: null, errors: '' });
  const outcomes = lines.filter((line) => !line.endsWith('began')).map((line) => line.split(': ')[1]);
  expect(outcomes).toHaveLength(last - first + 1);
  expect(new Set(outcomes)).toEqual(new Set(['refused', 'values refused', 'unaffected']));
}, 3_600_000);
