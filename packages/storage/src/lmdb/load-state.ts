import type { Database } from 'lmdb';
import { binaryTable, STATE, type Tables } from './environment.ts';
import {
  DAMAGED,
  decodeState,
  encodeDue,
  encodeState,
  HEAD_BYTES,
  LAYOUT,
  layoutVersion,
  RECORD_BYTES,
  readDue,
  readHead,
  readRecord,
  type State,
  writeHead,
  writeRecord,
} from './file/records.ts';

/** Revisions start at 1, as in etcd, because clients send 0 for "any". */
const NEW: State = { revision: 1, compacted: 0, swept: 0 };

/**
 * Loads the state and the number of the transaction that wrote it. Initializes a new database; migrates an older layout, which
 * older versions then refuse to open.
 */
export async function loadState(tables: Tables): Promise<{ state: State; transaction: number }> {
  const { meta } = tables;
  const found = meta.getEntry(STATE);
  const state = found ? decodeState(Buffer.from(found.value)) : NEW;
  const transaction = found?.version ?? 1;
  if (found && layoutVersion(Buffer.from(found.value)) === LAYOUT) return { state, transaction };
  if (found) addChecksums(tables);
  await meta.put(STATE, encodeState(state), transaction);
  return { state, transaction };
}

/**
 * Migrates layout 1 by adding checksums. Entries that have one are left alone, so an interrupted migration can be resumed. The
 * caller writes the state, which contains the layout version, at the end.
 *
 * head   16 or 24 bytes, as in layout 2 without checksums
 * record type u8 · key length u16 · previous f64 · created f64 · key · value
 * due    key
 */
function addChecksums(tables: Tables): void {
  const { root, expiry } = tables;
  const log = binaryTable<number>(tables, 'log');
  rewrite(root, log, 0, (revision, value) =>
    readRecord(value, value.length) === DAMAGED ? migratedRecord(revision, value) : undefined,
  );
  const current = binaryTable<string>(tables, 'current');
  rewrite(root, current, '', (key, value) => (readHead(value, value.length) === DAMAGED ? migratedHead(key, value) : undefined));
  rewrite(root, expiry, [0, 0], ([expires = 0, revision = 0], value) =>
    readDue(value, expires, revision) === DAMAGED ? encodeDue(value.toString(), expires, revision) : undefined,
  );
}

const ENTRIES_AT_ONCE = 1000;

function rewrite<K extends number | string | number[]>(
  root: Tables['root'],
  table: Database<Uint8Array, K>,
  first: K,
  migrated: (key: K, value: Buffer) => Buffer | undefined,
): void {
  let page = [...table.getRange({ start: first, limit: ENTRIES_AT_ONCE })];
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    root.transactionSync(() => {
      for (const { key, value } of page) {
        const changed = migrated(key, Buffer.from(value));
        if (changed) table.putSync(key, changed);
      }
    });
    page = [...table.getRange({ start: last.key, exclusiveStart: true, limit: ENTRIES_AT_ONCE })];
  }
}

function migratedRecord(revision: number, old: Buffer): Buffer {
  const keyEnd = 19 + old.readUInt16LE(1);
  const key = old.toString('utf8', 19, keyEnd);
  const entry = { key, value: old.subarray(keyEnd), revision, created: old.readDoubleLE(11) };
  const record = Buffer.alloc(RECORD_BYTES + old.length - 19);
  writeRecord(record, 0, old.readUInt8(0) & 1 ? 'delete' : 'put', entry, old.readDoubleLE(3));
  return record;
}

function migratedHead(key: string, old: Buffer): Buffer {
  const [revision, created] = [old.readDoubleLE(0), old.readDoubleLE(8)];
  const head = Buffer.alloc(HEAD_BYTES);
  const expires = old.length > 16 ? old.readDoubleLE(16) : 0;
  return head.subarray(0, writeHead(head, 0, { key, revision, created }, expires, Buffer.from(key)));
}
