import { META_PAGES, type Meta, NODE_HEADER_BYTES, PAGE_HEADER_BYTES, PageFlag, readU64, type TreeRecord } from './layout.ts';
import { childPage, keySize, type NodeData, nodeData, nodeFlags, nodeKey, PageParser, type TreePage } from './page.ts';
import type { PageFile } from './page-file.ts';

/** Called with every leaf entry in key order. Key and data are valid only during the call. */
export type OnEntry = (key: Buffer, data: NodeData, page: number) => void;

/** Called with each problem and its page. The walk skips the subtree below it. */
type OnProblem = (page: number, problem: string) => void;

const MAX_DEPTH = 32;

interface Counts {
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
}

/** State of the walk of one tree. */
interface Visit {
  readonly counts: Counts;
  readonly onEntry: OnEntry | undefined;
  readonly compare: Compare;
}

/**
 * Walks the trees of one transaction and checks the invariants LMDB relies on: every page has one parent and is valid in
 * itself, its keys are in order and within the bounds of its parent, and the page and entry counts match the tree's header.
 */
export class Walk {
  readonly #file: PageFile;
  readonly #meta: Meta;
  readonly #onProblem: OnProblem;
  readonly #parser: PageParser;
  /** One byte per page: 1 if a tree uses it. */
  readonly #used: Uint8Array;

  constructor(file: PageFile, meta: Meta, onProblem: OnProblem) {
    this.#file = file;
    this.#meta = meta;
    this.#onProblem = onProblem;
    this.#parser = new PageParser(file.pageSize);
    this.#used = new Uint8Array(Math.min(meta.lastPage + 1, Math.ceil(file.size / file.pageSize)));
  }

  isUsed(page: number): boolean {
    return this.#used[page] === 1;
  }

  /** Without `onEntry`, entries are only counted. */
  tree(name: string, record: TreeRecord, onEntry?: OnEntry, compare: Compare = byBytes): void {
    const counts = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
    if (record.root !== undefined) this.#page(record.root, record.depth, [undefined, undefined], { counts, onEntry, compare });
    for (const [what, count] of Object.entries(counts)) {
      const recorded = record[what as keyof Counts];
      if (count !== recorded)
        this.#onProblem(record.root ?? 0, `${name} has ${count} ${words[what as keyof Counts]}, not ${recorded}`);
    }
  }

  #page(number: number, height: number, bounds: Bounds, visit: Visit): void {
    const page = this.#take(number, height);
    if (typeof page === 'string') this.#onProblem(number, page);
    else if (!isOrdered(page, bounds, visit.compare)) this.#onProblem(number, 'has keys out of order');
    else if (page.isLeaf) this.#leaf(page, visit);
    else this.#branch(page, height, bounds, visit);
  }

  #branch(page: TreePage, height: number, bounds: Bounds, visit: Visit): void {
    visit.counts.branchPages++;
    for (const { child, bounds: within } of children(page, bounds)) this.#page(child, height - 1, within, visit);
  }

  #take(number: number, height: number): TreePage | string {
    const claim = this.#claim(number, 1);
    if (claim !== undefined) return claim;
    const bytes = this.#file.page(number);
    if (bytes === undefined) return 'lies beyond the end of the file';
    const page = this.#parser.parse(bytes, number, this.#meta.txnid);
    if (typeof page === 'string') return page;
    if (height < 1 || height > MAX_DEPTH || page.isLeaf !== (height === 1)) return 'is not at its height of the tree';
    return page;
  }

  #leaf(page: TreePage, { counts, onEntry }: Visit): void {
    counts.leafPages++;
    counts.entries += page.nodes.length;
    for (const at of page.nodes) {
      if (onEntry === undefined && nodeFlags(page, at) === 0) continue;
      const data = nodeData(page, at);
      if (typeof data === 'string') this.#onProblem(page.number, data);
      else if (data.kind !== 'overflow' || this.#overflow(data, counts)) onEntry?.(nodeKey(page, at), data, page.number);
    }
  }

  /** Checks the header of an overflow page. The value itself is covered by its checksum. */
  #overflow({ page, pages, size }: NodeData & { kind: 'overflow' }, counts: Counts): boolean {
    const problem = this.#claim(page, pages) ?? this.#overflowHeader(page, pages, size);
    if (problem !== undefined) this.#onProblem(page, problem);
    else counts.overflowPages += pages;
    return problem === undefined;
  }

  #overflowHeader(page: number, pages: number, size: number): string | undefined {
    const header = this.#file.bytes(page, PAGE_HEADER_BYTES);
    if (header.length < PAGE_HEADER_BYTES) return 'lies beyond the end of the file';
    if (readU64(header, 0) !== page || header.readUInt16LE(18) !== PageFlag.overflow) return 'is no overflow page';
    if (readU64(header, 8) > this.#meta.txnid) return 'is of a transaction that is to come';
    const needed = Math.ceil((PAGE_HEADER_BYTES + size) / this.#file.pageSize);
    return header.readUInt32LE(20) === pages && pages === needed ? undefined : `has ${pages} pages for ${size} bytes`;
  }

  #claim(page: number, pages: number): string | undefined {
    const { lastPage } = this.#meta;
    if (!(page >= META_PAGES && pages >= 1 && page + pages - 1 <= lastPage)) return 'is no page of the database';
    if (page + pages > this.#used.length) return 'lies beyond the end of the file';
    for (let each = page; each < page + pages; each++) {
      if (this.#used[each] === 1) return 'is in use twice';
      this.#used[each] = 1;
    }
    return undefined;
  }
}

const words: Readonly<Record<keyof Counts, string>> = {
  branchPages: 'branch pages',
  leafPages: 'leaf pages',
  overflowPages: 'overflow pages',
  entries: 'entries',
};

/** Compares two keys given as slices of buffers. */
type Compare = (a: Buffer, aFrom: number, aTo: number, b: Buffer, bFrom: number, bTo: number) => number;

/** Bytewise order, of all trees but the free tree. */
const byBytes: Compare = (a, aFrom, aTo, b, bFrom, bTo) => {
  const shared = Math.min(aTo - aFrom, bTo - bFrom);
  for (let i = 0; i < shared; i++) {
    const difference = (a[aFrom + i] as number) - (b[bFrom + i] as number);
    if (difference !== 0) return difference;
  }
  return aTo - aFrom - (bTo - bFrom);
};

/** Order of the free tree: native 64-bit integers. */
export const byInteger: Compare = (a, aFrom, aTo, b, bFrom, bTo) =>
  aTo - aFrom === 8 && bTo - bFrom === 8 ? readU64(a, aFrom) - readU64(b, bFrom) : Number.NaN;

/** Lower (inclusive) and upper (exclusive) bound of the keys of a page. */
type Bounds = readonly [Buffer | undefined, Buffer | undefined];

/** The first key of a branch page is ignored: its child covers everything below the second key. */
function isOrdered({ bytes, nodes, isLeaf }: TreePage, [low, high]: Bounds, compare: Compare): boolean {
  let from = 0;
  let to = 0;
  for (let i = isLeaf ? 0 : 1; i < nodes.length; i++) {
    const nextFrom = (nodes[i] as number) + NODE_HEADER_BYTES;
    const nextTo = nextFrom + keySize(bytes, nodes[i] as number);
    if (nextTo === nextFrom) return false;
    if (to === 0) {
      const lowest = low && compare(low, 0, low.length, bytes, nextFrom, nextTo);
      // NaN (incomparable) is an error as well.
      if (lowest !== undefined && !(isLeaf ? lowest <= 0 : lowest < 0)) return false;
    } else if (!(compare(bytes, from, to, bytes, nextFrom, nextTo) < 0)) return false;
    from = nextFrom;
    to = nextTo;
  }
  return high === undefined || compare(bytes, from, to, high, 0, high.length) < 0;
}

/** Copies the keys, because the page buffer is overwritten by the next read. */
function children(page: TreePage, [low, high]: Bounds): { child: number; bounds: Bounds }[] {
  const keys = page.nodes.map((at, i) => (i === 0 ? low : Buffer.from(nodeKey(page, at))));
  return page.nodes.map((at, i) => ({ child: childPage(page, at), bounds: [keys[i], i + 1 < keys.length ? keys[i + 1] : high] }));
}
