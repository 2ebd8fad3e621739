import { createHash } from 'node:crypto';
import type { Logger } from '@tsukube/apiserver';
import { type Entry, KeyExists, type Store } from '@tsukube/storage';
import type { ServeOptions } from '../config/index.ts';
import { takeDataDir } from '../files/data-dir.ts';
import { dataDirOf, openConfiguredStore } from './store.ts';

export interface MigrationReport {
  readonly copied: number;
  /** Objects that an earlier, interrupted migration had copied. */
  readonly found: number;
  /** Leases of running servers, which are not copied. */
  readonly skipped: number;
}

export interface MigrationOptions {
  readonly from: ServeOptions;
  readonly to: ServeOptions;
  /** Resumes an interrupted migration. Otherwise the target must be empty. */
  readonly resume?: boolean;
  /** Called after every page. */
  readonly onProgress?: (done: number, total: number, phase: 'copied' | 'checked') => void;
  readonly logger: Logger;
}

const pageSize = 500;
const writesAtOnce = 64;

/**
 * Copies all objects from one store to another, as they are stored, and compares both at the end. No server may write to either.
 * Objects keep their uids; their resourceVersions are new where the target numbers its writes itself.
 */
export async function migrateStore(options: MigrationOptions): Promise<MigrationReport> {
  const opened: (() => Promise<void>)[] = [];
  try {
    const [source, target] = [
      await openOne(options.from, options.logger, opened),
      await openOne(options.to, options.logger, opened),
    ];
    return await copy(source, target, options);
  } finally {
    for (const close of opened.reverse()) await close();
  }
}

async function openOne(options: ServeOptions, logger: Logger, opened: (() => Promise<void>)[]): Promise<Store> {
  if (options.storage === 'memory') throw new Error('a store in memory has nothing to migrate, and keeps nothing');
  if (options.storage === 'lmdb') {
    const taken = takeDataDir(dataDirOf(options));
    opened.push(async () => taken.release());
  }
  const store = await openConfiguredStore(options, logger);
  opened.push(() => store.close());
  return store;
}

async function copy(source: Store, target: Store, options: MigrationOptions): Promise<MigrationReport> {
  const { from, to, resume = false, onProgress = () => {} } = options;
  if (from.etcdPrefix !== to.etcdPrefix) throw new Error('both stores must have the same --etcd-prefix');
  const prefix = `${from.etcdPrefix}/`;
  const present = (await target.list(prefix, { limit: 1 })).count;
  if (present > 0 && !resume)
    throw new Error(`the target has ${present} objects; --resume goes on with an interrupted migration`);
  const counts = { copied: 0, found: 0, skipped: 0 };
  await eachPage(source, prefix, async (entries, done, total) => {
    const kept = entries.filter(({ key }) => !key.startsWith(`${prefix}masterleases/`));
    counts.skipped += entries.length - kept.length;
    for (let i = 0; i < kept.length; i += writesAtOnce) {
      const results = await Promise.all(kept.slice(i, i + writesAtOnce).map((entry) => put(target, entry, to)));
      for (const isNew of results) counts[isNew ? 'copied' : 'found']++;
    }
    onProgress(done, total, 'copied');
  });
  await compare(source, target, prefix, onProgress);
  return counts;
}

/** Returns whether the object is new. Events keep their lifetime, counted from now. */
async function put(target: Store, { key, value }: Entry, { etcdPrefix, eventTtl }: ServeOptions): Promise<boolean> {
  const ttlSeconds = key.startsWith(`${etcdPrefix}/events/`) ? eventTtl / 1000 : undefined;
  try {
    await target.create(key, value, { ttlSeconds });
    return true;
  } catch (error) {
    if (!(error instanceof KeyExists))
      throw new Error(`${key} could not be copied: ${(error as Error).message}`, { cause: error });
    const found = await target.get(key);
    if (found && isSame(found.value, value)) return false;
    throw new Error(`${key} is in the target with another content`);
  }
}

/** Both stores must have the same keys and values. */
async function compare(
  source: Store,
  target: Store,
  prefix: string,
  onProgress: NonNullable<MigrationOptions['onProgress']>,
): Promise<void> {
  const [expected, actual] = [digestOf(prefix), digestOf(prefix)];
  await eachPage(source, prefix, async (entries, done, total) => {
    for (const entry of entries) expected.add(entry);
    onProgress(done, total, 'checked');
  });
  await eachPage(target, prefix, async (entries) => {
    for (const entry of entries) actual.add(entry);
  });
  const differing = expected.differences(actual.values);
  if (differing.length > 0) {
    const shown = differing.slice(0, 10).join(', ');
    throw new Error(`${differing.length} objects differ between the stores, a server may have written meanwhile: ${shown}`);
  }
}

interface Digest {
  readonly values: ReadonlyMap<string, bigint>;
  add(entry: Entry): void;
  /** The keys whose values differ or are on one side only. */
  differences(other: ReadonlyMap<string, bigint>): string[];
}

function digestOf(prefix: string): Digest {
  const values = new Map<string, bigint>();
  return {
    values,
    add({ key, value }) {
      if (!key.startsWith(`${prefix}masterleases/`)) values.set(key, fingerprint(value));
    },
    differences(other) {
      const keys = new Set([...values.keys(), ...other.keys()]);
      return [...keys].filter((key) => values.get(key) !== other.get(key)).sort();
    },
  };
}

/** The first 64 bits of the SHA-256. */
function fingerprint(value: Uint8Array): bigint {
  return createHash('sha256').update(value).digest().readBigUInt64BE();
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** All pages of one revision. */
async function eachPage(
  store: Store,
  prefix: string,
  take: (entries: readonly Entry[], done: number, total: number) => Promise<void>,
): Promise<void> {
  let page = await store.list(prefix, { limit: pageSize });
  const { revision, count: total } = page;
  for (let done = 0; ; ) {
    done += page.entries.length;
    await take(page.entries, done, total);
    if (!page.more) return;
    page = await store.list(prefix, { limit: pageSize, from: `${page.entries.at(-1)?.key}\0`, revision });
  }
}
