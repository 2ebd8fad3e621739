import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock, storeContract } from '../contract/index.ts';
import { openLmdb } from '../lmdb/index.ts';
import { openMemory } from '../memory/index.ts';
import { type Batch, CorruptEntry, CorruptValue, EncryptionFailed, type Entry, type Store, UnreadableValue } from '../store.ts';
import { aesCbc, aesGcm } from './ciphers.ts';
import { encryptedStore } from './encrypted-store.ts';
import { identityTransformer, PrefixTransformers, type Transformer } from './transformer.ts';

const gcm = aesGcm(Buffer.alloc(32, 1));
const provider = (prefix: string, transformer: Transformer) => ({ prefix, transformer });
const encrypting = new PrefixTransformers(
  [provider('k8s:enc:aesgcm:v1:a:', gcm), provider('', identityTransformer)],
  'no matching prefix found',
);

storeContract('encrypted memory', async () => {
  const clock = new ManualClock();
  const store = encryptedStore(openMemory({ clock }), () => encrypting);
  return { store, advance: (seconds) => clock.advance(seconds), close: () => store.close() };
});

storeContract('encrypted LMDB', async () => {
  const path = mkdtempSync(join(tmpdir(), 'encrypted-'));
  const open = async () => {
    const clock = new ManualClock();
    const store = encryptedStore(await openLmdb({ path, clock, noSync: true }), () => encrypting);
    return {
      store,
      advance: (seconds: number) => clock.advance(seconds),
      reopen: open,
      async close() {
        await store.close();
        rmSync(path, { recursive: true, force: true });
      },
    };
  };
  return open();
});

describe('an encrypted store', () => {
  let raw: Store;
  let current: Transformer;
  let store: Store;
  beforeEach(() => {
    raw = openMemory();
    current = encrypting;
    store = encryptedStore(raw, (key) => (key.startsWith('/plain/') ? identityTransformer : current));
  });
  afterEach(() => store.close());

  const value = Buffer.from('{"a":"plaintext"}');

  it('stores no plain value, whichever method writes it', async () => {
    const { revision } = await store.create('/a', value);
    await store.update('/a', Buffer.from('plaintext of an update'), revision);
    expect(Buffer.from((await raw.get('/a'))?.value ?? []).toString('latin1')).toMatch(/^k8s:enc:aesgcm:v1:a:(?!.*plaintext)/s);
    expect(Buffer.from((await store.get('/a'))?.value ?? []).toString()).toBe('plaintext of an update');
  });

  it('stores values without provider unchanged', async () => {
    await store.create('/plain/a', value);
    expect((await raw.get('/plain/a'))?.value).toBe(value);
  });

  it('passes written values to the tap without decrypting them', async () => {
    const opening = vi.spyOn(gcm, 'open');
    const seen: Uint8Array[] = [];
    store.tap?.(({ changes }) => seen.push(...changes.map(({ entry }) => entry.value)));
    await store.create('/a', value);
    expect(seen).toEqual([value]);
    expect(opening).not.toHaveBeenCalled();
    opening.mockRestore();
  });

  it('reports values of later providers as stale', async () => {
    const { revision } = await store.create('/a', value);
    expect(await store.isStale?.('/a')).toBe(false);
    const rotated = provider('k8s:enc:aesgcm:v1:b:', aesGcm(Buffer.alloc(32, 2)));
    current = new PrefixTransformers([rotated, provider('k8s:enc:aesgcm:v1:a:', gcm)], 'no matching prefix found');
    expect(await store.isStale?.('/a')).toBe(true);
    await store.update('/a', value, revision);
    expect(await store.isStale?.('/a')).toBe(false);
    expect(await store.isStale?.('/missing')).toBe(false);
  });

  it('opens a value with a later provider of the same prefix', async () => {
    const cbc = (fill: number) =>
      provider('k8s:enc:aescbc:v1:', new PrefixTransformers([provider(`${fill}:`, aesCbc(Buffer.alloc(32, fill)))], 'no key'));
    current = new PrefixTransformers([cbc(1)], 'no matching prefix found');
    await store.create('/a', value);
    current = new PrefixTransformers([cbc(2), provider('', identityTransformer), cbc(1)], 'no matching prefix found');
    expect(Buffer.from((await store.get('/a'))?.value ?? [])).toEqual(value);
  });

  it('rejects gets and lists of a value that cannot be decrypted, with the reason', async () => {
    await store.create('/a', value);
    await store.create('/b', value);
    current = new PrefixTransformers([provider('k8s:enc:aesgcm:v1:b:', gcm)], 'no matching prefix found');
    await store.create('/c', value);
    await expect(store.get('/a')).rejects.toThrow(new UnreadableValue('/a', 2, new Error('no matching prefix found')));
    await expect(store.list('/')).rejects.toMatchObject({ reason: 'unable to transform key "/a": no matching prefix found' });
    expect((await store.list('/c')).entries).toHaveLength(1);
    await expect(store.update('/a', value, 9)).rejects.toThrow(UnreadableValue);
  });

  it('passes on corrupt entries', async () => {
    await store.create('/a', value);
    const corrupt = new CorruptEntry(3, 2, new CorruptValue('/b', 3, 'its checksum does not match'));
    const changes = [{ type: 'put', entry: corrupt, previous: corrupt }] as const;
    const damaged = Object.assign(Object.create(raw) as Store, {
      get: async () => corrupt,
      list: async () => ({ entries: [corrupt], revision: 3, more: false, count: 1 }),
      async *watch() {
        yield { changes, revision: 3 };
      },
    });
    const over = encryptedStore(damaged, () => current);
    expect(await over.get('/b')).toBe(corrupt);
    expect((await over.list('/')).entries).toEqual([corrupt]);
    for await (const batch of over.watch('/', 1, new AbortController().signal)) expect(batch.changes).toEqual(changes);
  });

  it('continues a watch after a change that cannot be decrypted', async () => {
    const batches: Batch[] = [];
    store.tap?.((batch) => batches.push(batch));
    await raw.create('/a', Buffer.from('k8s:enc:aesgcm:v1:a:damaged'));
    await store.create('/b', value);
    expect(() => batches[0]?.changes[0]?.entry.value).toThrow(UnreadableValue);
    expect(batches[1]?.changes[0]?.entry.value).toEqual(value);
    const watched: unknown[] = [];
    const stop = new AbortController();
    for await (const { changes } of store.watch('/', 1, stop.signal)) {
      watched.push(...changes.map(({ entry }) => entry.key));
      if (watched.length === 2) stop.abort();
    }
    expect(watched).toEqual(['/a', '/b']);
  });

  it('does not delay a watch for a slow KMS', async () => {
    const clock = new ManualClock();
    const waiting = { ...gcm, prepare: () => new Promise<void>(() => {}) };
    store = encryptedStore(raw, () => waiting, { clock });
    await store.create('/a', value);
    const stop = new AbortController();
    const watch = store.watch('/', 1, stop.signal)[Symbol.asyncIterator]();
    const next = watch.next();
    await vi.waitFor(() => {
      clock.advance(0.1);
      return expect(Promise.race([next, Promise.reject(new Error('it waits'))])).resolves.toBeDefined();
    });
    expect((await next).value?.changes[0]?.entry.value).toEqual(value);
    stop.abort();
  });

  it('rejects a write that cannot be encrypted', async () => {
    current = {
      ...identityTransformer,
      seal: () => {
        throw new Error('expired');
      },
    };
    await expect(store.create('/a', value)).rejects.toThrow(EncryptionFailed);
    expect(await raw.get('/a')).toBeUndefined();
  });

  it('rejects encrypted values of keys without a provider', async () => {
    await raw.create('/plain/a', Buffer.from('k8s:enc:aesgcm:v1:a:xyz'));
    await expect(store.get('/plain/a')).rejects.toMatchObject({ reason: 'identity transformer tried to read encrypted data' });
  });
});

it('leaves no plain text in the files of LMDB', async () => {
  const path = mkdtempSync(join(tmpdir(), 'encrypted-'));
  const store = encryptedStore(await openLmdb({ path }), () => encrypting);
  const created = await store.create('/registry/secrets/a', Buffer.from('needle-in-the-haystack'));
  await store.update('/registry/secrets/a', Buffer.from('needle-in-the-haystack, again'), created.revision);
  await store.close();
  const file = readFileSync(join(path, 'data.mdb'));
  expect(file.includes('/registry/secrets/a')).toBe(true);
  expect(file.includes('k8s:enc:aesgcm:v1:a:')).toBe(true);
  expect(file.includes('needle')).toBe(false);
  rmSync(path, { recursive: true });
});

describe('an encrypted store that several processes have open', () => {
  const value = Buffer.from('{"a":"plaintext"}');
  const settled = (promise: Promise<unknown> | undefined) => Promise.race([promise?.then(() => true), Promise.resolve(false)]);

  /** A store whose transformer needs keys that `fetched` provides. */
  function open(more: Parameters<typeof encryptedStore>[2] = {}) {
    const raw: Store = Object.assign(openMemory(), { catchUp: () => undefined });
    const other = encryptedStore(raw, () => encrypting);
    let isFetched = false;
    let arrived = () => {};
    const fetching = new Promise<void>((resolve) => {
      arrived = () => {
        isFetched = true;
        resolve();
      };
    });
    const isSealed = (data: Uint8Array) => Buffer.from(data).includes('aesgcm');
    const needsKey: Transformer = {
      seal: (plain) => plain,
      prepare: (data) => (isFetched || !isSealed(data) ? undefined : fetching),
      open: (data, context) => {
        if (!isSealed(data)) return { value: data, stale: false };
        if (!isFetched) throw new Error('the key is missing');
        return encrypting.open(data, context);
      },
    };
    const store = encryptedStore(raw, () => needsKey, more);
    const heard: string[] = [];
    const textOf = (entry: Entry) => {
      try {
        return Buffer.from(entry.value).toString();
      } catch (error) {
        return (error as Error).name;
      }
    };
    store.tap?.(({ changes }) => heard.push(...changes.map(({ entry }) => `${entry.key} ${textOf(entry)}`)));
    return { store, other, heard, arrived: () => arrived() };
  }

  it('delivers a value when its key is there, and later ones behind it', async () => {
    const { store, other, heard, arrived } = open();
    await store.create('/own', Buffer.from('1'));
    expect(heard).toEqual(['/own 1']);
    expect(store.catchUp?.()).toBeUndefined();
    await other.create('/other', value);
    await store.create('/later', Buffer.from('2'));
    expect(heard).toEqual(['/own 1']);
    const caughtUp = store.catchUp?.();
    expect(await settled(caughtUp)).toBe(false);
    arrived();
    await caughtUp;
    expect(heard).toEqual(['/own 1', `/other ${value}`, '/later 2']);
    expect(store.catchUp?.()).toBeUndefined();
    await other.create('/another', value);
    expect(heard).toHaveLength(4);
    await store.close();
  });

  it('delivers changes without the key if fetching it takes too long', async () => {
    const clock = new ManualClock();
    const { store, other, heard } = open({ clock });
    await other.create('/other', value);
    const caughtUp = store.catchUp?.();
    clock.advance(0.5);
    await caughtUp;
    expect(heard).toEqual(['/other UnreadableValue']);
    await store.close();
  });

  it('reads a newer configuration when it meets a value of an unknown key', async () => {
    const raw = openMemory();
    const renamed = new PrefixTransformers(
      [provider('k8s:enc:aesgcm:v1:', new PrefixTransformers([provider('b:', gcm)], 'no key'))],
      '',
    );
    const newer = encryptedStore(raw, () => renamed);
    let current: Transformer = encrypting;
    const refresh = vi.fn(async () => {
      current = renamed;
    });
    const older = encryptedStore(raw, () => current, { refresh });
    await older.create('/old', value);
    await older.get('/old');
    expect(refresh).not.toHaveBeenCalled();
    await newer.create('/new', value);
    expect((await older.get('/new'))?.value).toEqual(value);
    expect(refresh).toHaveBeenCalledTimes(1);
    await raw.close();
  });
});
