// Truncates, removes or replaces the file of an open database and continues: nothing may be read through the map any more.
// Usage: node lost-file.mjs <module of openLmdb> <path of the database> <way>
import { strict as assert } from 'node:assert';
import { copyFileSync, renameSync, truncateSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const [, , module, path, way] = process.argv;
const { openLmdb } = await import(module);
const store = await openLmdb({ path, noSync: true });
for (let i = 0; i < 50; i++) await store.create(`/a/${i}`, Buffer.alloc(100_000, 'x'));
await store.close();
const again = await openLmdb({ path });
const file = join(path, 'data.mdb');
const ways = {
  truncated: () => truncateSync(file, 0),
  removed: () => unlinkSync(file),
  replaced: () => {
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
  },
};
ways[way]();
await new Promise((resolve) => setTimeout(resolve, 20));
const isUnavailable = { name: 'Unavailable' };
await assert.rejects(again.ping(), isUnavailable);
await assert.rejects(again.get('/a/1'), isUnavailable);
await assert.rejects(again.list('/a/'), isUnavailable);
await assert.rejects(async () => again.valueAt(2, '/a/0'), isUnavailable);
await assert.rejects(again.create('/b', Buffer.from('1')), isUnavailable);
await again.close();
process.stdout.write('alive');
