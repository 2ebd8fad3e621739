// Fills a store until the disk is full, frees space and continues. Run it with a limit on the file size.
// Usage: node full-disk.mjs <module of openLmdb> <path of the database>
import { strict as assert } from 'node:assert';

process.on('SIGXFSZ', () => {});
const [, , module, path] = process.argv;
const { openLmdb } = await import(module);
const store = await openLmdb({ path });
const value = Buffer.alloc(100_000, 'x');
const entries = [];

const failure = await fill();
assert.equal(failure.name, 'Unavailable');
assert.equal(failure.unwritten, true);
assert.equal(await store.revision(), entries.at(-1).revision);
await assert.rejects(async () => {
  for (;;) await store.ping().then(() => store.create('/more', value));
});
assert.equal((await store.list('/full/')).count, entries.length);

for (const entry of entries.splice(0, 10)) await store.delete(entry.key, entry.revision);
await store.compact(await store.revision());
const next = await store.revision();
const { revision } = await store.create('/full/again', value);
assert.equal(revision, next + 1);
await store.ping();
await store.close();
process.stdout.write(`${entries.length + 1}\n`);

/** Several concurrent writes, so that some are queued behind the one that fails. */
async function fill() {
  for (let i = 0; ; i += 3) {
    const writes = [0, 1, 2].map(async (j) => store.create(`/full/${i + j}`, value));
    const outcomes = await Promise.allSettled(writes);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') return outcome.reason;
      entries.push(outcome.value);
    }
  }
}
