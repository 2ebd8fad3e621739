import { Compacted, type Entry, FutureRevision, type Page, type StoreListOptions } from '../store.ts';
import type { SqlDialect, SqlRow, SqlSession, Statement } from './dialect.ts';
import type { Durability } from './durability.ts';
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

/** Reads of one state of the store. Long lists are read in pages, within one snapshot of the database. */
export class SqlReads {
  readonly #dialect: SqlDialect;
  readonly #pool: SessionPool;
  readonly #durability: Durability;

  constructor(dialect: SqlDialect, pool: SessionPool, durability: Durability) {
    this.#dialect = dialect;
    this.#pool = pool;
    this.#durability = durability;
  }

  async state(timeoutMs?: number): Promise<SqlState> {
    const [rows] = await this.#pool.read([readState], timeoutMs);
    const state = stateOf(rows?.[0]);
    await this.#durability.confirm(state.newest);
    return state;
  }

  async get(key: string): Promise<Entry | undefined> {
    if (key.includes('\0')) return undefined;
    const [rows] = await this.#pool.read([getStatement(this.#dialect, key)]);
    const row = rows?.[0];
    if (row) await this.#durability.confirm(row.newest as number);
    else if (this.#dialect.visibleBeforeDurable) await this.state();
    return row && entryOf(key, row);
  }

  async list(prefix: string, options: StoreListOptions): Promise<Page> {
    const page = await this.#pool.use((session, remainingMs) => this.#list(session, remainingMs, prefix, options));
    await this.#durability.confirm(page.revision);
    return page;
  }

  async #list(session: SqlSession, remainingMs: () => number, prefix: string, options: StoreListOptions): Promise<Page> {
    const { limit = 0, from, revision = 0 } = options;
    const wanted = limit > 0 ? limit : Number.POSITIVE_INFINITY;
    const range = keyRange(this.#dialect, prefix, from);
    const reader = new SnapshotReader(session, this.#dialect, revision, remainingMs);
    try {
      const first = await reader.begin(range, nextPage(wanted, 0));
      checkRevision(first.state, revision);
      const shown = revision || first.state.newest;
      if (!range) return { entries: [], revision: shown, more: false, count: 0 };
      const entries = await this.#readEntries(reader, prefix, first.rows, wanted);
      const more = entries.length > wanted;
      if (more) entries.pop();
      return { entries, revision: shown, more, count: more ? await reader.count(range) : entries.length };
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
