// Damages copies of a database in many ways, opens each, and checks that every read returns the right value or reports
// corruption. Prints a line before each attempt and one with its result, so that the parent knows which attempt crashed the
// process.
// Usage: node damage.mjs <module of openLmdb> <path of the database> <first seed> <last seed>
import { strict as assert } from 'node:assert';
import { cpSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [, , module, base, first, last] = process.argv;
const { openLmdb } = await import(module);
const expected = new Map(JSON.parse(readFileSync(join(base, 'expected.json'), 'utf8')));
const { revision: newest, changes } = JSON.parse(readFileSync(join(base, 'history.json'), 'utf8'));
const PAGE = 8192;

for (let seed = Number(first); seed <= Number(last); seed++) {
  writeSync(1, `${seed} began\n`);
  writeSync(1, `${seed} ${await attempt(seed)}\n`);
}

async function attempt(seed) {
  const path = `${base}-${seed}`;
  cpSync(base, path, { recursive: true });
  try {
    const how = damage(join(path, 'data.mdb'), random(seed));
    return `${how}: ${await outcome(path)}`;
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

async function outcome(path) {
  let store;
  try {
    store = await openLmdb({ path, noSync: true });
  } catch (error) {
    assert.equal(error.name, 'DamagedDatabase', error.stack);
    return 'refused';
  }
  try {
    const damaged = await checkReads(store);
    await checkHistory(store);
    await checkWrites(store, damaged);
    return damaged.size > 0 ? 'values refused' : 'unaffected';
  } finally {
    await store.close();
  }
}

/** Every object is present, with its value or as corrupt. */
async function checkReads(store) {
  assert.equal(await store.revision(), newest);
  const { entries, count } = await store.list('/');
  assert.equal(count, expected.size);
  const damaged = new Set();
  for (const entry of entries) {
    const value = textOf(entry);
    if (value === undefined) damaged.add(entry.key);
    else assert.equal(value, expected.get(entry.key), entry.key);
    const single = await store.get(entry.key);
    assert.equal(textOf(single), value);
  }
  assert.deepEqual(
    entries.map(({ key }) => key),
    [...expected.keys()],
  );
  assert.equal(store.corruption().count, damaged.size);
  return damaged;
}

/** A watch delivers all changes, or fails with Compacted. */
async function checkHistory(store) {
  const seen = [];
  try {
    for await (const batch of store.watch('/', changes[0][0], AbortSignal.timeout(5000))) {
      for (const { type, entry } of batch.changes) seen.push([entry.revision, type, entry.key, textOf(entry)]);
      if (batch.revision >= newest) break;
    }
    assert.equal(seen.length, changes.length);
  } catch (error) {
    if (error.name !== 'Compacted') throw error;
  }
  assert.deepEqual(seen, changes.slice(0, seen.length));
}

/** Writes succeed, and corrupt objects can be deleted. */
async function checkWrites(store, damaged) {
  const keys = [...expected.keys()];
  for (let i = 0; i < keys.length; i += 7) {
    const { revision } = await store.get(keys[i]);
    await store.delete(keys[i], revision);
  }
  for (const key of damaged) {
    const entry = await store.get(key);
    if (entry) await store.delete(key, entry.revision);
  }
  assert.equal(store.corruption().count, 0);
  for (let i = 0; i < 200; i++) await store.create(`/new/${i}`, Buffer.alloc(1 + i * 37, 'n'));
  await store.compact(await store.revision());
  for (let i = 0; i < 100; i++) await store.create(`/newer/${i}`, Buffer.alloc(1 + i * 37, 'n'));
}

function textOf(entry) {
  try {
    return Buffer.from(entry.value).toString();
  } catch (error) {
    assert.equal(error.name, 'CorruptValue', error.stack);
    return undefined;
  }
}

function damage(file, next) {
  const bytes = readFileSync(file);
  const pages = bytes.length / PAGE;
  const page = () => Math.floor(next() * pages) * PAGE;
  const ways = {
    'bits flipped': () => {
      for (let i = 0; i < 1 + next() * 20; i++) bytes[Math.floor(next() * bytes.length)] ^= 1 << Math.floor(next() * 8);
    },
    'a bit of a page header flipped': () => {
      bytes[page() + Math.floor(next() * 64)] ^= 1 << Math.floor(next() * 8);
    },
    'a bit of a meta page flipped': () => {
      bytes[PAGE * Math.floor(next() * 2) + Math.floor(next() * 168)] ^= 1 << Math.floor(next() * 8);
    },
    'pages zeroed': () => {
      for (let i = 0; i < 1 + next() * 5; i++) {
        const from = page();
        bytes.fill(0, from, from + PAGE);
      }
    },
    'pages copied': () => {
      for (let i = 0; i < 1 + next() * 3; i++) {
        const from = page();
        bytes.copy(bytes, page(), from, from + PAGE);
      }
    },
    'bytes overwritten': () => {
      const from = Math.floor(next() * bytes.length);
      for (let i = from; i < Math.min(bytes.length, from + next() * 3 * PAGE); i++) bytes[i] = next() * 256;
    },
    'cut off': () => bytes.subarray(0, Math.floor(next() * bytes.length)),
    emptied: () => bytes.subarray(0, 0),
    zeroed: () => bytes.fill(0),
  };
  const names = Object.keys(ways);
  // The last two are deterministic.
  const name = next() < 0.01 ? names[7 + Math.floor(next() * 2)] : names[Math.floor(next() * 7)];
  writeFileSync(file, ways[name]() ?? bytes);
  return name;
}

/** Mulberry32. */
function random(seed) {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
