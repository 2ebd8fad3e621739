#!/usr/bin/env node
// Checks that the embedded store does not grow without bound: overwrites the same objects repeatedly, with compaction.
// Needs a build. node scripts/soak-storage.mjs [--updates 1000000] [--objects 1000] [--keep 20000] [--in-flight 64] [--no-sync]
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLmdb } from '@tsukube/storage/lmdb';

const { values: flags } = parseArgs({
  options: {
    updates: { type: 'string', default: '1000000' },
    objects: { type: 'string', default: '1000' },
    keep: { type: 'string', default: '20000' },
    'in-flight': { type: 'string', default: '64' },
    'no-sync': { type: 'boolean', default: false },
  },
});
const updates = Number(flags.updates);
const objects = Number(flags.objects);
const keep = Number(flags.keep);
const inFlight = Number(flags['in-flight']);

const path = await mkdtemp(join(tmpdir(), 'tsukube-soak-'));
const store = await openLmdb({ path, noSync: flags['no-sync'] });
const value = Buffer.alloc(1024, 'x');

const revisions = await Promise.all(
  Array.from({ length: objects }, (_, i) => store.create(keyOf(i), value).then((e) => e.revision)),
);
const started = performance.now();
let done = 0;
let finished = false;
await Promise.all([compactRegularly(), report(), write().finally(() => (finished = true))]);
await store.compact(await store.revision());
await printLine();
await store.close();
await rm(path, { recursive: true });

function keyOf(index) {
  return `/registry/soak/object-${String(index).padStart(6, '0')}`;
}

async function write() {
  await Promise.all(Array.from({ length: inFlight }, (_, lane) => writeLane(lane)));
}

/** Each lane has its own objects, so that no update conflicts. */
async function writeLane(lane) {
  for (let object = lane; done < updates; object = (object + inFlight) % objects) {
    if (object % inFlight !== lane) object = lane;
    done++;
    revisions[object] = (await store.update(keyOf(object), value, revisions[object])).revision;
  }
}

async function compactRegularly() {
  while (!finished) {
    await pause(500);
    const mark = (await store.revision()) - keep;
    if (mark > 0) await store.compact(mark);
  }
}

async function report() {
  for (let next = 0; !finished; await pause(100)) {
    if (done < next) continue;
    next += updates / 20;
    await printLine();
  }
}

async function printLine() {
  const { size } = await stat(join(path, 'data.mdb'));
  const seconds = (performance.now() - started) / 1000;
  const rate = Math.round(done / seconds);
  const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
  console.log(
    `${seconds.toFixed(1).padStart(7)} s ${String(done).padStart(9)} updates ${rate}/s  file ${(size / 2 ** 20).toFixed(1)} MiB  rss ${memory} MiB`,
  );
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
