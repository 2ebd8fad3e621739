/**
 * The file format of LMDB (data version 2, 64-bit, little-endian), as far as a reader without LMDB needs it.
 *
 * page      pgno u64 · txnid u64 · pad u16 · flags u16 · lower u16 · upper u16 · node offsets u16…  … nodes
 * overflow  pgno u64 · txnid u64 · pad u16 · flags u16 · pages u32 · value
 * node      data size u32 · flags u16 · key size u16 · key · data         (a branch node: child pgno u48 · key size u16 · key)
 * tree      pad u32 · flags u16 · depth u16 · branch pages u64 · leaf pages u64 · overflow pages u64 · entries u64 · root u64
 * meta      page header · magic u32 · version u32 · address u64 · map size u64 · free tree · main tree · last page u64 · txnid u64
 *
 * The pad of the free tree is the page size, its flags are those of the environment. Offsets of nodes, `lower` and `upper`
 * count from the end of the page header.
 */

export const PAGE_HEADER_BYTES = 24;
export const NODE_HEADER_BYTES = 8;
export const TREE_BYTES = 48;
export const OVERFLOW_POINTER_BYTES = 24;
/** Pages 0 and 1. */
export const META_PAGES = 2;

export const PageFlag = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 } as const;
export const NodeFlag = { overflow: 0x01, tree: 0x02 } as const;

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const META_BYTES = PAGE_HEADER_BYTES + 24 + 2 * TREE_BYTES + 16;
const U32 = 2 ** 32;
/** Limit of the address space. */
const MAX_MAP_SIZE = 2 ** 46;
/** The root of an empty tree (all bits set), as a double. */
const NO_ROOT = 2 ** 64;

/** The only persistent flag of environments opened by this driver: keys of the free tree are integers. */
const ENVIRONMENT_FLAGS = 0x08;

/** Header of a tree (MDB_db). */
export interface TreeRecord {
  readonly flags: number;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** Undefined for an empty tree. */
  readonly root: number | undefined;
}

export interface Meta {
  readonly pageSize: number;
  readonly mapSize: number;
  readonly free: TreeRecord;
  readonly main: TreeRecord;
  readonly lastPage: number;
  readonly txnid: number;
}

/** Exact below 2^53; no valid database has larger numbers. */
export function readU64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) * U32 + bytes.readUInt32LE(at);
}

export function readTree(bytes: Buffer, at: number): TreeRecord {
  const root = readU64(bytes, at + 40);
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: readU64(bytes, at + 8),
    leafPages: readU64(bytes, at + 16),
    overflowPages: readU64(bytes, at + 24),
    entries: readU64(bytes, at + 32),
    root: root === NO_ROOT ? undefined : root,
  };
}

/** Decodes a meta page; returns a problem text if it is invalid. */
export function readMeta(page: Buffer, index: number): Meta | string {
  if (page.length < META_BYTES) return 'is cut off';
  if (page.readUInt16LE(18) !== PageFlag.meta) return 'is no meta page';
  if (page.readUInt32LE(24) !== MAGIC) return 'has not the magic number of LMDB';
  if (page.readUInt32LE(28) !== DATA_VERSION) return `has data version ${page.readUInt32LE(28)} instead of ${DATA_VERSION}`;
  if (readU64(page, 0) !== index) return `says that it is page ${readU64(page, 0)}`;
  const treesAt = PAGE_HEADER_BYTES + 24;
  const meta = {
    pageSize: page.readUInt32LE(treesAt),
    mapSize: readU64(page, PAGE_HEADER_BYTES + 16),
    free: readTree(page, treesAt),
    main: readTree(page, treesAt + TREE_BYTES),
    lastPage: readU64(page, treesAt + 2 * TREE_BYTES),
    txnid: readU64(page, treesAt + 2 * TREE_BYTES + 8),
  };
  return invalidField(meta, index) ?? meta;
}

function invalidField({ pageSize, mapSize, free, lastPage, txnid }: Meta, index: number): string | undefined {
  if (!isPageSize(pageSize)) return `has page size ${pageSize}`;
  if (mapSize > MAX_MAP_SIZE) return `has map size ${mapSize}`;
  if (free.flags !== ENVIRONMENT_FLAGS) return `has flags ${free.flags}`;
  if (!Number.isSafeInteger(lastPage) || lastPage < META_PAGES - 1) return `has ${lastPage} as last page`;
  // Transactions alternate between the two meta pages. A new database has number 0 in both.
  if (!Number.isSafeInteger(txnid) || (txnid !== 0 && txnid % 2 !== index)) return `has transaction number ${txnid}`;
  return undefined;
}

function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65536 && (bytes & (bytes - 1)) === 0;
}
