import { RecentChanges } from '../recent-changes.ts';
import { type Batch, type Change, Compacted, type Entry } from '../store.ts';
import type { SqlDialect, SqlRow, Statement } from './dialect.ts';
import type { Durability } from './durability.ts';
import type { SessionPool } from './pool.ts';
import { changesPage, type KeyRange, keyRange, readState } from './statements.ts';

const PAGE = { entries: 256, bytes: 4 * 2 ** 20 };

/** Revisions of the store, read in one state. */
export interface SqlState {
  readonly newest: number;
  readonly compacted: number;
}

export function stateOf(row: SqlRow | undefined): SqlState {
  if (!row) throw new Error('the table tsukube_revision or tsukube_compaction is empty');
  return { newest: row.newest as number, compacted: row.compacted as number };
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
  readonly #everything: KeyRange;
  #recent: RecentChanges;
  #newest: number;
  /** Increases when the database was reset to an older state. */
  #generation = 0;
  #wanted = 0;
  #following: Promise<void> | undefined;

  constructor(dialect: SqlDialect, pool: SessionPool, durability: Durability, newest: number, onGrowth: () => void) {
    this.#dialect = dialect;
    this.#pool = pool;
    this.#durability = durability;
    this.#onGrowth = onGrowth;
    this.#everything = keyRange(dialect, '') as KeyRange;
    this.#recent = new RecentChanges(newest);
    this.#newest = newest;
  }

  get newest(): number {
    return this.#newest;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Adds the changes of an own commit, unless revisions of others before them have not been read yet. */
  add(changes: readonly Change[]): void {
    const [first] = changes;
    if (!first) return;
    if (first.entry.revision === this.#newest + 1) this.#append(changes);
    else this.reach(changes.at(-1)?.entry.revision ?? 0);
  }

  /** Someone has seen this revision: reads the changes up to it, in the background. */
  reach(revision: number): void {
    this.#wanted = Math.max(this.#wanted, revision);
    if (this.#wanted > this.#newest) this.#follow().catch(() => {});
  }

  /** The database is at an older revision than this process has seen: restored, or failed over with a loss. */
  reset(newest: number): void {
    this.#generation++;
    this.#restart(newest);
  }

  /** A page of the changes of a prefix from a revision on, from memory if possible. Rejects with Compacted. */
  page(from: number, prefix: string): Batch | Promise<Batch> {
    return this.#recent.at(from) ? this.#recentPage(from, prefix) : this.#storedPage(from, prefix);
  }

  #recentPage(from: number, prefix: string): Batch {
    const revision = Math.min(this.#newest, from + PAGE.entries - 1);
    const changes: Change[] = [];
    for (let each = from; each <= revision; each++) {
      const change = this.#recent.at(each) as Change;
      if (change.entry.key.startsWith(prefix)) changes.push(change);
    }
    return { changes, revision };
  }

  async #storedPage(from: number, prefix: string): Promise<Batch> {
    const to = this.#newest;
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
    while (this.#wanted > this.#newest) {
      const from = this.#newest + 1;
      const page = changesPage(from, from + PAGE.entries - 1, this.#everything, PAGE);
      const [rows = [], states = []] = await this.#pool.read([page, readState]);
      const state = stateOf(states[0]);
      await this.#durability.confirm(Math.max(state.newest, (rows.at(-1)?.revision as number | undefined) ?? 0));
      if (state.newest < from - 1) this.reset(state.newest);
      else if (rows[0]?.revision === from) this.#append(rows.map((row) => this.#change(row)));
      else if (state.compacted >= from) this.#restart(state.newest);
      else this.#wanted = state.newest;
    }
  }

  /** Own commits may have been added meanwhile. */
  #append(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.entry.revision !== this.#newest + 1) continue;
      this.#recent.add(change);
      this.#newest++;
    }
    this.#onGrowth();
  }

  /** Continues at a revision. Watches that are behind it read the database, and fail there if it has been compacted. */
  #restart(revision: number): void {
    this.#recent = new RecentChanges(revision);
    this.#newest = revision;
    this.#wanted = revision;
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
