import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Change, Compacted, type Entry, type Store } from '../store.ts';
import { openLmdb } from './index.ts';
import { bundleStore, scriptPath } from './processes/bundle.mjs';

const ROUNDS = 10;
const MAX_LIFE_MS = 250;

interface Acknowledged {
  readonly revision: number;
  readonly key: string;
  /** Empty for a delete. */
  readonly value: string;
}

let module: string;
let path: string;

beforeAll(async () => {
  module = await bundleStore();
  path = await mkdtemp(join(tmpdir(), 'tsukube-crash-'));
});

afterAll(() => rm(path, { recursive: true, force: true }));

it(`keeps acknowledged writes when the process is killed ${ROUNDS} times`, async () => {
  let newest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await writeAndDie(round);
    expect(acknowledged.length).toBeGreaterThan(0);
    const store = await openLmdb({ path });
    const revision = await store.revision();
    expect(revision).toBeGreaterThanOrEqual(Math.max(newest, ...acknowledged.map((each) => each.revision)));
    await checkStore(store, revision, acknowledged);
    newest = revision;
    await store.close();
  }
}, 60_000);

async function writeAndDie(round: number): Promise<Acknowledged[]> {
  const child = spawn(process.execPath, [scriptPath('crash-writer.mjs'), module, path, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = collect(child);
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_LIFE_MS));
  child.kill('SIGKILL');
  await once(child, 'close');
  return parse(output.join(''));
}

function collect(child: ChildProcess): string[] {
  const chunks: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  return chunks;
}

/** The last line may be incomplete. */
function parse(output: string): Acknowledged[] {
  const lines = output.split('\n').slice(0, -1);
  return lines.map((line) => {
    const [revision = '', key = '', value = ''] = line.split(' ');
    return { revision: Number(revision), key, value };
  });
}

async function checkStore(store: Store, revision: number, acknowledged: readonly Acknowledged[]): Promise<void> {
  const oldest = await oldestListable(store);
  const changes = await changesBetween(store, oldest + 1, revision);
  expect(changes.map(({ entry }) => entry.revision)).toEqual(numbers(oldest + 1, revision));
  checkChanges(changes, oldest, acknowledged);
  await checkState(store, oldest, changes);
}

/** Compared as a whole, because an `expect` for each of many thousand changes is slow. */
function checkChanges(changes: readonly Change[], oldest: number, acknowledged: readonly Acknowledged[]): void {
  const kept = acknowledged.filter(({ revision }) => revision > oldest);
  const found = kept.map(({ revision }) => describeChange(changes[revision - oldest - 1]));
  expect(found).toEqual(kept.map(({ revision, key, value }) => `${revision} ${key} ${value}`));
}

function describeChange(change: Change | undefined): string {
  if (!change) return 'missing';
  const { revision, key, value } = change.entry;
  return `${revision} ${key} ${change.type === 'put' ? Buffer.from(value) : ''}`;
}

/** The oldest state plus all changes since must equal the newest state. */
async function checkState(store: Store, oldest: number, changes: readonly Change[]): Promise<void> {
  const state = new Map((await store.list('', { revision: oldest })).entries.map((entry) => [entry.key, entry]));
  const wrong: Change[] = [];
  for (const change of changes) {
    const { type, entry, previous } = change;
    if (previous?.revision !== state.get(entry.key)?.revision) wrong.push(change);
    if (type === 'put') state.set(entry.key, entry);
    else state.delete(entry.key);
  }
  expect(wrong).toEqual([]);
  const { entries } = await store.list('');
  expect(entries.map(comparable)).toEqual([...state.values()].map(comparable).sort());
}

function comparable({ key, revision, created, value }: Entry): string {
  return `${key} ${revision} ${created} ${Buffer.from(value).toString()}`;
}

async function oldestListable(store: Store): Promise<number> {
  return store.list('', { revision: 1, limit: 1 }).then(
    () => 1,
    (error: unknown) => {
      expect(error).toBeInstanceOf(Compacted);
      return (error as Compacted).oldest;
    },
  );
}

async function changesBetween(store: Store, from: number, to: number): Promise<Change[]> {
  const all: Change[] = [];
  for await (const { changes, revision } of store.watch('', from, AbortSignal.timeout(10_000))) {
    all.push(...changes);
    if (revision >= to) break;
  }
  return all;
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
