import { Compacted, type Entry, FutureRevision, type Page, type StoreListOptions, Unavailable } from '../store.ts';
import type { SqlDialect, SqlRow, SqlSession, Statement } from './dialect.ts';
import type { Durability } from './durability.ts';
import { isBehind, type Position, positionOf } from './history.ts';
import { type SqlState, stateOf } from './log.ts';
import type { SessionPool } from './pool.ts';
import {
  commit,
  getStatement,
  type KeyRange,
  keyRange,
  liveCount,
  livePage,
  type PageSize,
  pastCount,
  pastPage,
  readState,
} from './statements.ts';
import { entryOf } from './write-group.ts';

const PAGE = { entries: 1_000, bytes: 4 * 2 ** 20 };

const MAX_CHECKS = 3;

interface ListResult {
  readonly result: Page;
  readonly state: SqlState;
}

interface ReadOptions {
  readonly dialect: SqlDialect;
  readonly pool: SessionPool;
  readonly durability: Durability;
  /** The newest position this process has seen. */
  readonly position: () => Position;
  /** Called if a state was read that is behind that position. Resolves when the history has been checked. */
  readonly onBehind: () => Promise<void>;
}

/** Reads of one state of the store. Long lists are read in pages, within one snapshot of the database. */
export class SqlReads {
  readonly #dialect: SqlDialect;
  readonly #pool: SessionPool;
  readonly #durability: Durability;
  readonly #position: () => Position;
  readonly #onBehind: () => Promise<void>;
  readonly #counts = new PageCounts();

  constructor({ dialect, pool, durability, position, onBehind }: ReadOptions) {
    this.#dialect = dialect;
    this.#pool = pool;
    this.#durability = durability;
    this.#position = position;
    this.#onBehind = onBehind;
  }

  state(timeoutMs?: number): Promise<SqlState> {
    return this.#inOrder(async () => {
      const [rows] = await this.#pool.read([readState], timeoutMs);
      const state = stateOf(rows?.[0]);
      return { result: state, state };
    });
  }

  async get(key: string): Promise<Entry | undefined> {
    if (key.includes('\0')) return undefined;
    return this.#inOrder(async () => {
      const [rows] = await this.#pool.read([getStatement(this.#dialect, key)]);
      const row = rows?.[0];
      return { result: row && row.revision !== null ? entryOf(key, row) : undefined, state: positionOf(row) };
    });
  }

  list(prefix: string, options: StoreListOptions): Promise<Page> {
    return this.#inOrder(() => this.#pool.use((session, remainingMs) => this.#list(session, remainingMs, prefix, options)));
  }

  /** Never shows a state that is older than one this process has seen, nor one that a crash of the database could undo. */
  async #inOrder<T>(read: () => Promise<{ readonly result: T; readonly state: Position }>): Promise<T> {
    for (let checks = 0; checks < MAX_CHECKS; checks++) {
      const known = this.#position();
      const began = this.#durability.begin();
      const { result, state } = await read();
      if (isBehind(state, known)) await this.#onBehind();
      else if (await this.#durability.confirm(state.newest, began)) return result;
    }
    throw new Unavailable(`${this.#dialect.name} was interrupted, or answers with an older state than before`);
  }

  async #list(session: SqlSession, remainingMs: () => number, prefix: string, options: StoreListOptions): Promise<ListResult> {
    const { limit = 0, from, revision = 0 } = options;
    const wanted = limit > 0 ? limit : Number.POSITIVE_INFINITY;
    const range = keyRange(this.#dialect, prefix, from);
    const reader = new SnapshotReader(session, this.#dialect, revision, remainingMs);
    try {
      const first = await reader.begin(range, nextPage(wanted, 0));
      checkRevision(first.state, revision);
      const shown = revision || first.state.newest;
      if (!range) return { result: { entries: [], revision: shown, more: false, count: 0 }, state: first.state };
      const entries = await this.#readEntries(reader, prefix, first.rows, wanted);
      const more = entries.length > wanted;
      if (more) entries.pop();
      const page = { prefix, from, revision: shown };
      const count = more ? (this.#counts.take(page) ?? (await reader.count(range))) : entries.length;
      if (more) this.#counts.put({ ...page, from: `${entries.at(-1)?.key}\0` }, count - entries.length);
      return { result: { entries, revision: shown, more, count }, state: first.state };
    } finally {
      reader.end();
    }
  }

  /** Reads one entry more than wanted, to know whether there are more. */
  async #readEntries(reader: SnapshotReader, prefix: string, first: readonly SqlRow[], wanted: number): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let rows = first, size = nextPage(wanted, 0); ; ) {
      let bytes = 0;
      for (const row of rows) {
        const entry = entryOf(this.#dialect.readKey(row.object_key), row);
        bytes += entry.value.length;
        entries.push(entry);
      }
      const isWhole = rows.length < size.entries && bytes <= size.bytes;
      if (isWhole || entries.length > wanted) return entries;
      size = nextPage(wanted, entries.length);
      rows = await reader.page(keyRange(this.#dialect, prefix, `${entries.at(-1)?.key}\0`) as KeyRange, size);
    }
  }
}

function nextPage(wanted: number, read: number): PageSize {
  return { entries: Math.min(PAGE.entries, wanted + 1 - read), bytes: PAGE.bytes };
}

function checkRevision({ newest, compacted }: SqlState, revision: number): void {
  if (revision > newest) throw new FutureRevision(newest);
  if (revision > 0 && revision < compacted) throw new Compacted(compacted);
}

const MAX_COUNTS = 1_000;

interface PageStart {
  readonly prefix: string;
  readonly from: string | undefined;
  readonly revision: number;
}

/** Numbers of entries from the start of pages that are expected next. The entries of a revision do not change, so only the first page is counted. */
class PageCounts {
  readonly #counts = new Map<string, number>();

  take(page: PageStart): number | undefined {
    return this.#counts.get(keyOf(page));
  }

  put(page: PageStart, count: number): void {
    this.#counts.set(keyOf(page), count);
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= MAX_COUNTS) return;
      this.#counts.delete(oldest);
    }
  }
}

function keyOf({ prefix, from, revision }: PageStart): string {
  return JSON.stringify([revision, prefix, from]);
}

/** A read-only transaction that sees one state of the database, and shows the newest or an older revision in it. */
class SnapshotReader {
  readonly #session: SqlSession;
  readonly #dialect: SqlDialect;
  readonly #revision: number;
  readonly #remainingMs: () => number;

  constructor(session: SqlSession, dialect: SqlDialect, revision: number, remainingMs: () => number) {
    this.#session = session;
    this.#dialect = dialect;
    this.#revision = revision;
    this.#remainingMs = remainingMs;
  }

  /** Begins the transaction and reads the first page. */
  async begin(range: KeyRange | undefined, size: PageSize): Promise<{ state: SqlState; rows: readonly SqlRow[] }> {
    const { beginSnapshot } = this.#dialect.sql;
    const statements = [...beginSnapshot, readState, ...(range ? [this.#pageOf(range, size)] : [])];
    const results = await this.#session.run(statements, this.#remainingMs());
    return { state: stateOf(results[beginSnapshot.length]?.[0]), rows: results[beginSnapshot.length + 1] ?? [] };
  }

  page(range: KeyRange, size: PageSize): Promise<readonly SqlRow[]> {
    return this.#rows(this.#pageOf(range, size));
  }

  async count(range: KeyRange): Promise<number> {
    const [row] = await this.#rows(this.#revision ? pastCount(range, this.#revision) : liveCount(range));
    return row?.entries as number;
  }

  /** Ends the transaction in the background. */
  end(): void {
    if (!this.#session.broken) this.#session.run([commit], this.#remainingMs()).catch(() => this.#session.destroy());
  }

  #pageOf(range: KeyRange, size: PageSize): Statement {
    return this.#revision ? pastPage(range, this.#revision, size) : livePage(range, size);
  }

  async #rows(statement: Statement): Promise<readonly SqlRow[]> {
    const [rows = []] = await this.#session.run([statement], this.#remainingMs());
    return rows;
  }
}
