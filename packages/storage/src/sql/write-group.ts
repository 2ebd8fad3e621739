import { Cancelled, type Change, type Entry, KeyExists, Mismatch } from '../store.ts';
import { columnsOf, noColumns } from './columns.ts';
import type { ChangeRow, SqlDialect, SqlRow } from './dialect.ts';
import { newCommitId, type Position } from './history.ts';

/** A write that waits for its group. */
export interface Attempt {
  readonly key: string;
  /** Undefined for a delete. */
  readonly value: Uint8Array | undefined;
  /** The expected revision; undefined for a create. */
  readonly expected: number | undefined;
  readonly ttlSeconds: number;
  readonly isCancelled: (() => boolean) | undefined;
  /** In milliseconds of the monotonic clock. */
  readonly deadline: number;
  resolve(entry: Entry): void;
  reject(error: unknown): void;
}

type Outcome = { readonly attempt: Attempt; readonly change: Change } | { readonly attempt: Attempt; readonly error: Error };

/** Writes that share a transaction, evaluated one after another against the state that the transaction has locked. */
export class WriteGroup {
  readonly outcomes: readonly Outcome[];
  readonly changes: readonly Change[];
  readonly newest: number;
  readonly commitId = newCommitId();
  /** The position that the group continues. */
  readonly base: Position;
  readonly #rows: readonly ChangeRow[];

  constructor(attempts: readonly Attempt[], heads: ReadonlyMap<string, Entry>, base: Position) {
    const state = new Map<string, Entry | undefined>(heads);
    const outcomes: Outcome[] = [];
    let revision = base.newest;
    for (const attempt of attempts) {
      const change = evaluate(attempt, state.get(attempt.key), revision + 1);
      if (change instanceof Error) outcomes.push({ attempt, error: change });
      else {
        revision++;
        state.set(attempt.key, change.type === 'put' ? change.entry : undefined);
        outcomes.push({ attempt, change });
      }
    }
    this.base = base;
    this.newest = revision;
    this.outcomes = outcomes;
    this.changes = outcomes.flatMap((outcome) => ('change' in outcome ? [outcome.change] : []));
    this.#rows = toRows(outcomes);
  }

  get rows(): readonly ChangeRow[] {
    return this.#rows;
  }

  /** Whether a write of the group was cancelled after it was evaluated. */
  get hasCancelled(): boolean {
    return this.outcomes.some((outcome) => 'change' in outcome && outcome.attempt.isCancelled?.());
  }

  /** The group is committed. */
  resolve(): void {
    for (const outcome of this.outcomes) {
      if ('change' in outcome) outcome.attempt.resolve(outcome.change.entry);
      else outcome.attempt.reject(outcome.error);
    }
  }
}

function evaluate(attempt: Attempt, current: Entry | undefined, revision: number): Change | Error {
  const { key, value, expected, isCancelled } = attempt;
  if (isCancelled?.()) return new Cancelled();
  if (expected === undefined) {
    if (current) return new KeyExists(key);
    return { type: 'put', entry: { key, value: value as Uint8Array, revision, created: revision }, previous: undefined };
  }
  if (current?.revision !== expected) return new Mismatch(key, current);
  if (!value) return { type: 'delete', entry: { ...current, revision }, previous: current };
  return { type: 'put', entry: { key, value, revision, created: current.created }, previous: current };
}

const NO_VALUE = new Uint8Array();

function toRows(outcomes: readonly Outcome[]): ChangeRow[] {
  const later = new Set<string>();
  const rows: ChangeRow[] = [];
  for (const outcome of outcomes.toReversed()) {
    if (!('change' in outcome)) continue;
    const { type, entry, previous } = outcome.change;
    const { key, revision, created, value } = entry;
    const deleted = type === 'delete';
    const isLast = !later.has(key);
    rows.push({
      revision,
      key,
      deleted,
      previous: previous?.revision ?? 0,
      created,
      value: deleted ? NO_VALUE : value,
      ttlSeconds: outcome.attempt.ttlSeconds,
      isLast,
      columns: deleted || !isLast ? noColumns : columnsOf(value),
    });
    later.add(key);
  }
  return rows.reverse();
}

/** The newest entries of keys, from the rows of `heads`. */
export function headsOf(dialect: SqlDialect, rows: readonly SqlRow[]): Map<string, Entry> {
  return new Map(rows.map((row) => [dialect.readKey(row.object_key), entryOf(dialect.readKey(row.object_key), row)]));
}

export function entryOf(key: string, row: SqlRow): Entry {
  return { key, value: row.value as Uint8Array, revision: row.revision as number, created: row.created as number };
}
