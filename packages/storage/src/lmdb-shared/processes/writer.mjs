// Opens databases for writing, and serves them to the test process on sockets.
// Usage: node writer.mjs <bundle of lmdb> <bundle of lmdb-shared>; messages are { id, call, path, seconds }.
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';

const [, , lmdb, lmdbShared] = process.argv;
const { openLmdb } = await import(lmdb);
const { WriterHost } = await import(lmdbShared);
const opened = new Map();
/** By path, because a reopened database keeps its time. */
const clocks = new Map();

class Clock {
  time = Date.UTC(2030, 0, 1);
  timers = new Set();
  now = () => this.time;
  after(ms, callback) {
    const timer = { due: this.time + ms, callback };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }
  advance(seconds) {
    this.time += seconds * 1000;
    for (const timer of [...this.timers]) if (timer.due <= this.time && this.timers.delete(timer)) timer.callback();
  }
}

const calls = {
  async open({ path }) {
    const clock = clocks.get(path) ?? new Clock();
    clocks.set(path, clock);
    const host = new WriterHost();
    const store = await openLmdb({ path, clock, shared: host });
    host.host(store);
    await rm(`${path}.socket`, { force: true });
    const server = createServer((socket) => host.serve(socket, () => socket.destroy()));
    await new Promise((resolve) => server.listen(`${path}.socket`, resolve));
    opened.set(path, { store, server, clock });
  },
  async close({ path }) {
    const { store, server } = opened.get(path) ?? {};
    opened.delete(path);
    server?.close();
    await store?.close();
  },
  async advance({ path, seconds }) {
    opened.get(path)?.clock.advance(seconds);
  },
  async create({ path, key, value }) {
    return (await opened.get(path).store.create(key, Buffer.from(value))).revision;
  },
};

process.on('message', (message) => {
  calls[message.call](message).then(
    (result) => process.send({ id: message.id, result }),
    (error) => process.send({ id: message.id, error: String(error.stack) }),
  );
});
process.on('disconnect', () => process.exit());
process.send({ id: 0 });
