// Writes to a store until it is killed, and prints every acknowledged write.
// Usage: node crash-writer.mjs <module of openLmdb> <path of the database> <round>
import { writeSync } from 'node:fs';

const [, , module, path, round] = process.argv;
const { openLmdb } = await import(module);
const store = await openLmdb({ path });
const LANES = 64;
const KEPT_REVISIONS = 2000;

for (let lane = 0; lane < LANES; lane++) void write(`/crash/${round}/${lane}`);
void compact();

async function write(key) {
  for (let i = 0; ; i++) {
    const entry = await store.create(key, Buffer.from(`${i}-created`));
    acknowledge(entry.revision, key, `${i}-created`);
    const { revision } = await store.update(key, Buffer.from(`${i}-updated`), entry.revision);
    acknowledge(revision, key, `${i}-updated`);
    acknowledge(await store.delete(key, revision), key, '');
  }
}

async function compact() {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const mark = (await store.revision()) - KEPT_REVISIONS;
    if (mark > 0) await store.compact(mark);
  }
}

function acknowledge(revision, key, value) {
  writeSync(1, `${revision} ${key} ${value}\n`);
}
