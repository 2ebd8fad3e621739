import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StoreUnderTest, storeContract } from '../contract/index.ts';
import { Compacted, type Store, Unavailable } from '../store.ts';
import { openSharedStore } from './index.ts';
import { connectTo, startWriter, type WriterProcess } from './processes/start-writer.ts';

let writer: WriterProcess;
beforeAll(async () => {
  writer = await startWriter();
});
afterAll(() => writer?.process.kill());

async function openReader(path: string, onLost: (error: Error) => void = () => {}): Promise<Store> {
  return openSharedStore({ path, connection: await connectTo(path), onLost });
}

async function openAt(path: string): Promise<StoreUnderTest> {
  await writer.call('open', path);
  const store = await openReader(path);
  const close = async () => {
    await store.close();
    await writer.call('close', path);
  };
  return {
    store: withHandledRejections(store),
    advance: (seconds) => void writer.call('advance', path, { seconds }),
    reopen: async () => {
      await close();
      return openAt(path);
    },
    close: async () => {
      await close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** The suite starts some calls together and awaits them in turn; a later one may reject before it is awaited. */
function withHandledRejections(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const result: unknown = member.apply(target, args);
        if (result instanceof Promise) result.catch(() => {});
        return result;
      };
    },
  });
}

const newPath = () => mkdtemp(join(tmpdir(), 'tsukube-shared-'));

storeContract('lmdb of another process', async () => openAt(await newPath()));

describe('several processes', () => {
  it('see a write of any of them as soon as it is acknowledged, without a message', async () => {
    const path = await newPath();
    const { store, close } = await openAt(path);
    const other = await openReader(path);
    const heard: number[] = [];
    other.tap?.(({ revision }) => heard.push(revision));
    for (let i = 0; i < 100; i++) {
      const { revision } = await store.create(`/a/${i}`, Buffer.from(String(i)));
      // Synchronous: no message of the writer can arrive between the acknowledgement and this read.
      expect(other.catchUp?.()).toBeUndefined();
      expect(heard.at(-1)).toBe(revision);
    }
    await other.close();
    await close();
  });

  it('are notified of writes without polling', async () => {
    const path = await newPath();
    const { store, close } = await openAt(path);
    const changed = new Promise<string>((resolve) => store.tap?.(({ changes }) => resolve(changes[0]?.entry.key ?? '')));
    await writer.call('create', path, { key: '/of/the/writer', value: '1' });
    expect(await changed).toBe('/of/the/writer');
    await close();
  });

  it('catch up with many writes in slices', async () => {
    const path = await newPath();
    const { store, close } = await openAt(path);
    const other = await openReader(path);
    const heard: number[] = [];
    const seen = new Promise<void>((resolve) => {
      other.tap?.(({ changes }) => {
        heard.push(...changes.map(({ entry }) => entry.revision));
        if (heard.length === 2000) resolve();
      });
    });
    const all = Array.from({ length: 2000 }, (_, i) => store.create(`/a/${i}`, Buffer.alloc(100)));
    const revisions = (await Promise.all(all)).map(({ revision }) => revision);
    await other.catchUp?.();
    await seen;
    expect(heard).toEqual(revisions.sort((a, b) => a - b));
    await other.close();
    await close();
  });

  it('are notified before a compaction', async () => {
    const path = await newPath();
    const { store, close } = await openAt(path);
    const other = await openReader(path);
    const forgotten: number[] = [];
    other.onCompaction?.((revision) => {
      // Everything up to the revision has been delivered, and the old value can still be read.
      expect(Buffer.from(other.valueAt?.(first.revision, '/a') ?? []).toString()).toBe('1');
      forgotten.push(revision);
    });
    const first = await store.create('/a', Buffer.from('1'));
    const { revision } = await store.update('/a', Buffer.from('2'), first.revision);
    await store.compact(revision);
    expect(forgotten).toEqual([revision]);
    await expect(other.list('/', { revision: first.revision })).rejects.toThrow(Compacted);
    await other.close();
    await close();
  });

  it('end when the writing process is killed, and lose no acknowledged write', async () => {
    const path = await newPath();
    const doomed = await startWriter();
    await doomed.call('open', path);
    let lost: ((error: Error) => void) | undefined;
    const ended = new Promise<Error>((resolve) => {
      lost = resolve;
    });
    const store = await openReader(path, (error) => lost?.(error));
    const written: string[] = [];
    const writes = Array.from({ length: 500 }, async (_, i) => {
      await store.create(`/a/${i}`, Buffer.from('1'));
      written.push(`/a/${i}`);
      if (written.length === 100) doomed.process.kill('SIGKILL');
    });
    const outcomes = await Promise.allSettled(writes);
    expect(await ended).toBeInstanceOf(Unavailable);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Unavailable);
    await store.close();
    const again = await openAt(path);
    const keys = new Set((await again.store.list('/a/')).entries.map(({ key }) => key));
    expect(written.filter((key) => !keys.has(key))).toEqual([]);
    await again.close();
  });
});
