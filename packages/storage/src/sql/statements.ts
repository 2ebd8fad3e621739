import { firstKey } from '../keys.ts';
import type { SqlDialect, SqlValue, Statement } from './dialect.ts';

/** Statements that every database understands. The schema is described in docs/storage.md. */
export const commit = statement('COMMIT');
export const rollback = statement('ROLLBACK');

/** Holding this row, a process may assign revisions. */
export const lockRevision = statement('SELECT newest, commit_id FROM tsukube_revision WHERE id = 1 FOR UPDATE');

export const readState = statement(
  `SELECT r.newest, r.commit_id, c.compacted FROM tsukube_revision r CROSS JOIN tsukube_compaction c WHERE r.id = 1 AND c.id = 1`,
);

export const readVersion = statement('SELECT version FROM tsukube_schema');

export function statement(text: string, ...values: SqlValue[]): Statement {
  return { text, values };
}

export function readBatch(writer: string): Statement {
  return statement('SELECT batch FROM tsukube_writers WHERE writer = ?', writer);
}

export function removeWriter(writer: string): Statement {
  return statement('DELETE FROM tsukube_writers WHERE writer = ?', writer);
}

export function markSwept(revision: number): Statement {
  return statement('UPDATE tsukube_compaction SET swept = ? WHERE id = 1', revision);
}

/** The newest value of a key, with the position of the store. The columns of the value are null if the key does not exist. */
export function getStatement(dialect: SqlDialect, key: string): Statement {
  return statement(
    `SELECT o.revision, o.created, c.value, r.newest, r.commit_id FROM tsukube_revision r
     LEFT JOIN tsukube_objects o ON o.object_key = ? LEFT JOIN tsukube_changes c ON c.revision = o.revision WHERE r.id = 1`,
    dialect.keyValue(key),
  );
}

/** A range of keys as a condition on o.object_key. */
export interface KeyRange {
  readonly condition: string;
  readonly values: readonly SqlValue[];
}

/** The keys with a prefix, from `from` on (inclusive). Undefined if no key can be in the range. */
export function keyRange(dialect: SqlDialect, prefix: string, from?: string): KeyRange | undefined {
  // No key contains NUL, which PostgreSQL does not accept in text: after "a\0" means after "a".
  if (prefix.includes('\0')) return undefined;
  const first = firstKey(prefix, from);
  const nul = first.indexOf('\0');
  const lower = nul < 0 ? first : first.slice(0, nul);
  const condition = `o.object_key ${nul < 0 ? '>=' : '>'} ?`;
  const end = endOfPrefix(prefix);
  if (end === undefined) return { condition, values: [dialect.keyValue(lower)] };
  return {
    condition: `${condition} AND o.object_key < ?`,
    values: [dialect.keyValue(lower), dialect.keyValue(end)],
  };
}

const LAST_CODE_POINT = 0x10ffff;
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/** The first string after all strings with a prefix, in bytewise order; undefined if there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  return String.fromCodePoint(...points, last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1);
}

/** At most `entries` rows, and no more of them than have `bytes` bytes of values, but at least one. */
export interface PageSize {
  readonly entries: number;
  readonly bytes: number;
}

/** A page of live objects, ordered by key; columns object_key, revision, created, value. */
export function livePage({ condition, values }: KeyRange, { entries, bytes }: PageSize): Statement {
  const keys = `SELECT o.object_key, o.revision, o.created, o.size FROM tsukube_objects o
    WHERE ${condition} ORDER BY o.object_key LIMIT ?`;
  return statement(withValues(keys), ...values, entries, bytes);
}

/** The same for the state at a revision: the newest change of each key up to it, unless that is a delete. */
export function pastPage({ condition, values }: KeyRange, revision: number, { entries, bytes }: PageSize): Statement {
  const keys = `SELECT o.object_key, o.revision, o.created, o.size FROM tsukube_changes o
    WHERE ${pastCondition(condition)} ORDER BY o.object_key LIMIT ?`;
  return statement(withValues(keys), ...values, revision, revision, entries, bytes);
}

function pastCondition(condition: string): string {
  return `${condition} AND o.revision <= ? AND NOT o.deleted AND NOT EXISTS (
    SELECT 1 FROM tsukube_changes n WHERE n.object_key = o.object_key AND n.revision > o.revision AND n.revision <= ?)`;
}

/** Sizes are summed before values are read, so that a page has a limited size. */
function withValues(keys: string): string {
  return `SELECT w.object_key, w.revision, w.created, v.value FROM (
      SELECT k.object_key, k.revision, k.created, SUM(k.size) OVER (ORDER BY k.object_key) - k.size AS bytes_before
      FROM (${keys}) k
    ) w JOIN tsukube_changes v ON v.revision = w.revision WHERE w.bytes_before <= ? ORDER BY w.object_key`;
}

export function liveCount({ condition, values }: KeyRange): Statement {
  return statement(`SELECT COUNT(*) AS entries FROM tsukube_objects o WHERE ${condition}`, ...values);
}

/** Objects that have not changed since a revision, and changes since then whose previous value is of that time. */
export function pastCount({ condition, values }: KeyRange, revision: number): Statement {
  const unchanged = `SELECT COUNT(*) FROM tsukube_objects o WHERE ${condition} AND o.revision <= ?`;
  const changed = `SELECT COUNT(*) FROM tsukube_changes o WHERE o.revision > ? AND o.previous > 0 AND o.previous <= ? AND ${condition}`;
  const text = `SELECT (${unchanged}) + (${changed}) AS entries`;
  return statement(text, ...values, revision, revision, revision, ...values);
}

/** A page of the changes of [from, to] in a range of keys, each with the value it replaced. */
export function changesPage(from: number, to: number, { condition, values }: KeyRange, { entries, bytes }: PageSize): Statement {
  return statement(
    `SELECT c.revision, c.object_key, c.deleted, c.previous, c.created, c.size, c.value, c.commit_id, c.parent_id,
      p.value AS previous_value FROM (
      SELECT k.revision, SUM(k.size) OVER (ORDER BY k.revision) - k.size AS bytes_before FROM (
        SELECT o.revision, o.size FROM tsukube_changes o WHERE o.revision >= ? AND o.revision <= ? AND ${condition}
        ORDER BY o.revision LIMIT ?
      ) k
    ) w JOIN tsukube_changes c ON c.revision = w.revision
    LEFT JOIN tsukube_changes p ON p.revision = c.previous
    WHERE w.bytes_before <= ? ORDER BY c.revision`,
    from,
    to,
    ...values,
    entries,
    bytes,
  );
}
