import { statSync } from 'node:fs';
import { join } from 'node:path';
import { META_PAGES, type Meta, PAGE_HEADER_BYTES, readTree, readU64, type TreeRecord } from './layout.ts';
import type { NodeData } from './page.ts';
import { PageFile } from './page-file.ts';
import { decodeState, layoutVersion, type State } from './records.ts';
import { byInteger, type OnEntry, Walk } from './walk.ts';

const TABLES = ['current', 'expiry', 'log', 'meta'] as const;
type TableName = (typeof TABLES)[number];

const MAX_PROBLEMS = 1000;
const MAX_UNWRITTEN_PAGES = 65_536;
/** lmdb-js stores the version of an entry before its data. */
const VERSION_BYTES = 8;

const SHOWN_PROBLEMS = 3;

/** The database cannot be opened: parts of it are missing or corrupt. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase';
  readonly problems: readonly string[];
  constructor(path: string, problems: readonly string[]) {
    const more = problems.length > SHOWN_PROBLEMS ? ` and ${problems.length - SHOWN_PROBLEMS} more problems` : '';
    super(`${path} is damaged: ${problems.slice(0, SHOWN_PROBLEMS).join('; ')}${more}`);
    this.problems = problems;
  }
}

/** A database file, read without LMDB, which would follow corrupt page numbers. */
export class DatabaseFile {
  readonly path: string;
  readonly problems: string[] = [];
  readonly file: PageFile;
  /** Meta page of the newest transaction. Undefined if there is none. */
  readonly meta: Meta | undefined;
  readonly walk: Walk | undefined;
  /** Whether the newest transaction can be determined from the meta pages. */
  readonly isNewestKnown: boolean;
  readonly #tables = new Map<string, TreeRecord>();

  constructor(directory: string) {
    this.path = join(directory, 'data.mdb');
    this.file = new PageFile(this.path);
    this.meta = this.#newestMeta();
    this.isNewestKnown = this.problems.length === 0;
    this.walk = this.meta && new Walk(this.file, this.meta, (page, problem) => this.problem(`page ${page} ${problem}`));
    this.walk?.tree('the table of tables', (this.meta as Meta).main, (key, data) => {
      // Names of tables are null-terminated.
      if (data.kind === 'tree') this.#tables.set(key.toString('latin1').replace(/\0$/, ''), readTree(data.bytes, 0));
    });
  }

  problem(text: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(text);
  }

  close(): void {
    this.file.close();
  }

  /** Walks a table. Without a callback its pages are checked and its entries counted. */
  table(name: TableName, onEntry?: OnEntry): void {
    const record = this.#tables.get(name);
    if (record !== undefined) this.walk?.tree(`table ${name}`, record, onEntry);
  }

  /** Whether all tables exist. They may not, if the process died while it created the database. */
  get hasTables(): boolean {
    return TABLES.every((name) => this.#tables.has(name));
  }

  /** The bytes of an entry. */
  data(data: NodeData): Buffer {
    if (data.kind !== 'overflow') return data.bytes;
    return this.file.bytes(data.page, PAGE_HEADER_BYTES + data.size).subarray(PAGE_HEADER_BYTES);
  }

  /** The number of entries in the table's header. */
  entriesOf(name: TableName): number | undefined {
    return this.#tables.get(name)?.entries;
  }

  /** Reads the state from the meta table; undefined if it is missing, or corrupt, which is recorded as a problem. */
  state(): { readonly layout: number; readonly state: State } | undefined {
    let found: { readonly layout: number; readonly state: State } | undefined;
    this.table('meta', (_key, data) => {
      try {
        found = readState(data);
      } catch (error) {
        this.problem((error as Error).message);
      }
    });
    return found;
  }

  /**
   * Checks that every page is either in exactly one tree or free. Call it after all tables have been walked. Returns which
   * pages are free; undefined if the free list is corrupt.
   */
  freeList(): ((page: number) => boolean) | undefined {
    const { walk, meta, file } = this;
    if (!walk || !meta) return undefined;
    const before = this.problems.length;
    const isFree = new Uint8Array(meta.lastPage + 1);
    const lists: (number[] | undefined)[] = [];
    walk.tree('the list of free pages', meta.free, (_key, data) => lists.push(freePages(file, data, meta.lastPage)), byInteger);
    if (lists.includes(undefined)) this.problem('the list of free pages is damaged');
    for (const page of lists.flatMap((pages) => pages ?? [])) {
      if (walk.isUsed(page) || isFree[page]) this.problem(`page ${page} is free and in use`);
      isFree[page] = 1;
    }
    if (this.problems.length === 0) this.#findLost(walk, isFree);
    return this.problems.length === before ? (page) => isFree[page] === 1 : undefined;
  }

  #findLost(walk: Walk, isFree: Uint8Array): void {
    let lost = 0;
    for (let page = META_PAGES; page < isFree.length; page++) if (!isFree[page] && !walk.isUsed(page)) lost++;
    if (lost > 0) this.problem(`${lost} pages are neither in use nor free`);
  }

  #newestMeta(): Meta | undefined {
    const metas = this.file.metas();
    for (const [page, meta] of metas.entries()) if (typeof meta === 'string') this.problem(`page ${page} ${meta}`);
    const [older, newest] = metas.filter((meta) => typeof meta !== 'string').sort((a, b) => a.txnid - b.txnid);
    if (older === undefined || newest === undefined) return older && this.#bounded(older);
    if (newest.pageSize !== older.pageSize) this.problem('the meta pages have different page sizes');
    if (newest.txnid - older.txnid > 1) this.problem(`transaction ${newest.txnid - 1} is missing`);
    if (isBehind(stateOf(this.file, newest), stateOf(this.file, older)))
      this.problem('the older transaction holds newer data: the number of the newest one is damaged');
    return this.#bounded(newest);
  }

  /** Pages at the end that were allocated and freed without being written are not in the file; there are never many. */
  #bounded(meta: Meta): Meta {
    const lastPage = Math.min(meta.lastPage, Math.ceil(this.file.size / meta.pageSize) + MAX_UNWRITTEN_PAGES);
    if (lastPage < meta.lastPage) this.problem(`the last page is said to be ${meta.lastPage}, far beyond the end of the file`);
    return { ...meta, lastPage };
  }
}

/** Throws if the file is missing or empty. */
export function openDatabaseFile(directory: string): DatabaseFile {
  const path = join(directory, 'data.mdb');
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (!size) throw new DamagedDatabase(path, [size === 0 ? 'it is empty' : 'it is missing']);
  return new DatabaseFile(directory);
}

/** LMDB falls back to the older transaction if the number of the newest one is corrupt. */
function isBehind(newest: State | undefined, older: State | undefined): boolean {
  if (newest === undefined || older === undefined) return false;
  return older.revision > newest.revision || older.compacted > newest.compacted || older.swept > newest.swept;
}

/** The state at a transaction; undefined if it cannot be read. */
function stateOf(file: PageFile, meta: Meta): State | undefined {
  const walk = new Walk(file, { ...meta, txnid: Number.POSITIVE_INFINITY }, () => {});
  let record: TreeRecord | undefined;
  let state: State | undefined;
  walk.tree('', meta.main, (key, data) => {
    if (data.kind === 'tree' && key.toString('latin1').startsWith('meta')) record = readTree(data.bytes, 0);
  });
  try {
    if (record) walk.tree('', record, (_key, data) => (state = readState(data).state));
  } catch {
    return undefined;
  }
  return state;
}

function readState(data: NodeData): { readonly layout: number; readonly state: State } {
  if (data.kind !== 'inline') throw new Error('the state of the database is damaged');
  const bytes = data.bytes.subarray(VERSION_BYTES);
  return { layout: layoutVersion(bytes), state: decodeState(bytes) };
}

/**
 * Decodes an entry of the free tree: a count of words, then the words. A word is a page number; or, if negative, the length of
 * a run whose first page follows; or 0 for a gap. Undefined if the entry is invalid.
 */
function freePages(file: PageFile, data: NodeData, lastPage: number): number[] | undefined {
  const words = wordsOf(file, data);
  const count = words.length < 8 ? 0 : readI64(words, 0);
  if (count < 0 || (count + 1) * 8 > words.length) return undefined;
  const pages: number[] = [];
  for (let at = 8; at < (count + 1) * 8; at += 8) {
    const word = readI64(words, at);
    if (word === 0) continue;
    const block = word < 0 ? -word : 1;
    if (word < 0) at += 8;
    const first = word < 0 ? (at < (count + 1) * 8 ? readI64(words, at) : 0) : word;
    if (first < META_PAGES || first + block - 1 > lastPage) return undefined;
    for (let page = first; page < first + block; page++) pages.push(page);
  }
  return pages;
}

function wordsOf(file: PageFile, data: NodeData): Buffer {
  if (data.kind !== 'overflow') return data.bytes;
  return file.bytes(data.page, PAGE_HEADER_BYTES + data.size).subarray(PAGE_HEADER_BYTES);
}

function readI64(words: Buffer, at: number): number {
  return words.readInt32LE(at + 4) < 0 ? Number(words.readBigInt64LE(at)) : readU64(words, at);
}
