import { RecentChanges } from '../recent-changes.ts';
import { type Batch, type Change, Compacted, type Entry } from '../store.ts';
import type { SqlDialect, SqlRow, Statement } from './dialect.ts';
import type { Durability } from './durability.ts';
import { isBehind, isForeign, type Position, positionOf } from './history.ts';
import type { SessionPool } from './pool.ts';
import { changesPage, type KeyRange, keyRange, readState } from './statements.ts';
import type { WriteGroup } from './write-group.ts';

const PAGE = { entries: 256, bytes: 4 * 2 ** 20 };

/** Revisions of the store, read in one state. */
export interface SqlState extends Position {
  readonly compacted: number;
}

export function stateOf(row: SqlRow | undefined): SqlState {
  if (!row) throw new Error('the table tsukube_revision or tsukube_compaction is empty');
  return { ...positionOf(row), compacted: row.compacted as number };
}

interface LogOptions {
  readonly dialect: SqlDialect;
  readonly pool: SessionPool;
  readonly durability: Durability;
  readonly start: Position;
  readonly onGrowth: () => void;
  /** Called if the database seems to have lost revisions. */
  readonly onDoubt: () => void;
}

/**
 * The changes of the store as this process knows them: without gaps up to `newest`, recent ones in memory. Own commits are
 * added at once; those of other processes are read when someone has seen a higher revision.
 */
export class SqlLog {
  readonly #dialect: SqlDialect;
  readonly #pool: SessionPool;
  readonly #durability: Durability;
  readonly #onGrowth: () => void;
  readonly #onDoubt: () => void;
  readonly #everything: KeyRange;
  #recent: RecentChanges;
  #position: Position;
  /** Increases when the database has lost revisions. */
  #generation = 0;
  #wanted = 0;
  #following: Promise<void> | undefined;

  constructor({ dialect, pool, durability, start, onGrowth, onDoubt }: LogOptions) {
    this.#dialect = dialect;
    this.#pool = pool;
    this.#durability = durability;
    this.#onGrowth = onGrowth;
    this.#onDoubt = onDoubt;
    this.#everything = keyRange(dialect, '') as KeyRange;
    this.#recent = new RecentChanges(start.newest);
    this.#position = start;
  }

  get newest(): number {
    return this.#position.newest;
  }

  get position(): Position {
    return this.#position;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Adds the changes of an own commit, unless revisions of others before them have not been read yet. */
  add({ changes, base, newest, commitId }: WriteGroup): void {
    if (base.newest !== this.newest) this.reach(newest);
    else if (isBehind(base, this.#position)) this.#onDoubt();
    else this.#append(changes, commitId);
  }

  /** A state was read, when `known` was the position of this log. */
  observe(state: Position, known: Position): void {
    if (isBehind(state, known)) this.#onDoubt();
    else this.reach(state.newest);
  }

  /** Someone has seen this revision: reads the changes up to it, in the background. */
  reach(revision: number): void {
    this.#wanted = Math.max(this.#wanted, revision);
    if (this.#wanted > this.newest) this.#follow().catch(() => {});
  }

  /** The database has lost revisions that this process has seen: continues at a new position. All watches fail with Compacted. */
  reset(position: Position): void {
    this.#generation++;
    this.#restart(position);
  }

  /** A page of the changes of a prefix from a revision on, from memory if possible. Rejects with Compacted. */
  page(from: number, prefix: string): Batch | Promise<Batch> {
    return this.#recent.at(from) ? this.#recentPage(from, prefix) : this.#storedPage(from, prefix);
  }

  #recentPage(from: number, prefix: string): Batch {
    const revision = Math.min(this.newest, from + PAGE.entries - 1);
    const changes: Change[] = [];
    for (let each = from; each <= revision; each++) {
      const change = this.#recent.at(each) as Change;
      if (change.entry.key.startsWith(prefix)) changes.push(change);
    }
    return { changes, revision };
  }

  async #storedPage(from: number, prefix: string): Promise<Batch> {
    const to = this.newest;
    const range = keyRange(this.#dialect, prefix);
    if (!range) return { changes: [], revision: to };
    const rows = await this.#read(from, changesPage(from, to, range, PAGE));
    const last = rows.at(-1)?.revision as number | undefined;
    const bytes = rows.reduce((sum, row) => sum + (row.size as number), 0);
    const isWhole = last === undefined || (rows.length < PAGE.entries && bytes <= PAGE.bytes);
    return { changes: rows.map((row) => this.#change(row)), revision: isWhole ? to : last };
  }

  /** The state is read after the page: revisions that are not compacted by then were not swept before. */
  async #read(from: number, page: Statement): Promise<readonly SqlRow[]> {
    const [rows = [], states = []] = await this.#pool.read([page, readState]);
    const { compacted } = stateOf(states[0]);
    if (from <= compacted) throw new Compacted(compacted + 1);
    return rows;
  }

  #follow(): Promise<void> {
    this.#following ??= this.#readNew().finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  async #readNew(): Promise<void> {
    while (this.#wanted > this.newest) {
      const known = this.#position;
      const from = known.newest + 1;
      const began = this.#durability.begin();
      const page = changesPage(from, from + PAGE.entries - 1, this.#everything, PAGE);
      const [rows = [], states = []] = await this.#pool.read([page, readState]);
      const state = stateOf(states[0]);
      const last = Math.max(state.newest, (rows.at(-1)?.revision as number | undefined) ?? 0);
      if (!(await this.#durability.confirm(last, began))) continue;
      if (isBehind(state, known) || (rows[0]?.revision === from && isForeign(rows[0], known))) return this.#doubt(known);
      if (rows[0]?.revision === from) this.#appendRows(rows);
      else if (state.compacted >= from) this.#restart(state);
      else this.#wanted = state.newest;
    }
  }

  /** Does not follow until it is known whether revisions are lost, unless the log has changed meanwhile. */
  #doubt(known: Position): void {
    if (this.#position !== known) return;
    this.#wanted = known.newest;
    this.#onDoubt();
  }

  /** Own commits may have been added meanwhile. */
  #appendRows(rows: readonly SqlRow[]): void {
    const changes = rows.filter((row) => (row.revision as number) > this.newest).map((row) => this.#change(row));
    if (changes[0]?.entry.revision === this.newest + 1) this.#append(changes, rows.at(-1)?.commit_id as number);
  }

  #append(changes: readonly Change[], commitId: number): void {
    for (const change of changes) this.#recent.add(change);
    this.#position = { newest: changes.at(-1)?.entry.revision ?? this.newest, commitId };
    this.#onGrowth();
  }

  /** Continues at a revision. Watches that are behind it read the database, and fail there if it has been compacted. */
  #restart({ newest, commitId }: Position): void {
    this.#recent = new RecentChanges(newest);
    this.#position = { newest, commitId };
    this.#wanted = newest;
    this.#onGrowth();
  }

  #change(row: SqlRow): Change {
    const key = this.#dialect.readKey(row.object_key);
    const revision = row.revision as number;
    const created = row.created as number;
    const previousValue = row.previous_value as Uint8Array | null;
    const previous: Entry | undefined =
      previousValue === null ? undefined : { key, value: previousValue, revision: row.previous as number, created };
    if (row.deleted && previous) return { type: 'delete', entry: { ...previous, revision }, previous };
    return { type: 'put', entry: { key, value: row.value as Uint8Array, revision, created }, previous };
  }
}
