// Opens a store that another process has open, and writes to it.
// Usage: node other-writer.mjs <module of openLmdb> <path of the database>
const [, , module, path] = process.argv;
const { openLmdb } = await import(module);
const store = await openLmdb({ path });
await store.create('/other', Buffer.from('other'));
await store.close();
