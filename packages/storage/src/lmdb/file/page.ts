import {
  NODE_HEADER_BYTES,
  NodeFlag,
  OVERFLOW_POINTER_BYTES,
  PAGE_HEADER_BYTES,
  PageFlag,
  readU64,
  TREE_BYTES,
} from './layout.ts';

/** A parsed branch or leaf page. All offsets are known to be within the page. */
export interface TreePage {
  readonly number: number;
  readonly isLeaf: boolean;
  readonly bytes: Buffer;
  /** Offsets of the nodes in key order. */
  readonly nodes: readonly number[];
}

/** Validates single pages: the header, the size of each node, and that the nodes fill the space given in the header. */
export class PageParser {
  /** Size of the node at offset 2 × index; all zero between two pages. */
  readonly #sizes: Uint16Array;

  constructor(pageSize: number) {
    this.#sizes = new Uint16Array(pageSize / 2);
  }

  /** Returns the page, or a problem text. */
  parse(bytes: Buffer, number: number, newestTxnid: number): TreePage | string {
    if (readU64(bytes, 0) !== number) return `says that it is page ${readU64(bytes, 0)}`;
    if (readU64(bytes, 8) > newestTxnid) return `is of transaction ${readU64(bytes, 8)}, which is to come`;
    const flags = u16(bytes, 18);
    if (flags !== PageFlag.branch && flags !== PageFlag.leaf) return `has flags ${flags}`;
    const isLeaf = flags === PageFlag.leaf;
    const nodes = this.#nodes(bytes, isLeaf);
    return typeof nodes === 'string' ? nodes : { number, isLeaf, bytes, nodes };
  }

  #nodes(bytes: Buffer, isLeaf: boolean): number[] | string {
    const lower = u16(bytes, 20);
    const upper = u16(bytes, 22);
    const space = bytes.length - PAGE_HEADER_BYTES;
    if (lower % 2 !== 0 || upper % 2 !== 0 || lower > upper || upper > space)
      return `has its free space from ${lower} to ${upper}`;
    if (lower < (isLeaf ? 2 : 4)) return 'has too few nodes';
    const nodes: number[] = [];
    for (let at = PAGE_HEADER_BYTES; at < PAGE_HEADER_BYTES + lower; at += 2) nodes.push(PAGE_HEADER_BYTES + u16(bytes, at));
    return this.#fill(bytes, nodes, PAGE_HEADER_BYTES + upper, isLeaf) ? nodes : 'has nodes that do not fit into it';
  }

  /** Nodes are stored without gaps from `start` to the end of the page, in any order. */
  #fill(bytes: Buffer, nodes: readonly number[], start: number, isLeaf: boolean): boolean {
    const isWithin = (at: number) => at % 2 === 0 && at >= start && at + NODE_HEADER_BYTES <= bytes.length;
    if (!nodes.every(isWithin)) return false;
    for (const at of nodes) this.#sizes[at / 2] = Math.min(nodeBytes(bytes, at, isLeaf), bytes.length);
    let found = 0;
    let end = start;
    for (let size = this.#sizes[end / 2]; size; size = this.#sizes[end / 2]) {
      end += size;
      found++;
    }
    for (const at of nodes) this.#sizes[at / 2] = 0;
    return found === nodes.length && end === bytes.length;
  }
}

export function u16(bytes: Buffer, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
}

/** Size of a node, padded to an even number. */
function nodeBytes(bytes: Buffer, at: number, isLeaf: boolean): number {
  const size = NODE_HEADER_BYTES + keySize(bytes, at) + (isLeaf ? inlineSize(bytes, at) : 0);
  return size + (size % 2);
}

function inlineSize(bytes: Buffer, at: number): number {
  return u16(bytes, at + 4) & NodeFlag.overflow ? OVERFLOW_POINTER_BYTES : bytes.readUInt32LE(at);
}

export function keySize(bytes: Buffer, at: number): number {
  return u16(bytes, at + 6);
}

export function nodeKey({ bytes }: TreePage, at: number): Buffer {
  const from = at + NODE_HEADER_BYTES;
  return bytes.subarray(from, from + keySize(bytes, at));
}

/** The child page of a branch node. */
export function childPage({ bytes }: TreePage, at: number): number {
  return u16(bytes, at + 4) * 2 ** 32 + bytes.readUInt32LE(at);
}

/** The data of a leaf node: inline, on overflow pages, or a subtree. */
export type NodeData =
  | { readonly kind: 'inline'; readonly bytes: Buffer }
  | { readonly kind: 'overflow'; readonly page: number; readonly pages: number; readonly size: number }
  | { readonly kind: 'tree'; readonly bytes: Buffer };

export function nodeData({ bytes }: TreePage, at: number): NodeData | string {
  const flags = u16(bytes, at + 4);
  const size = bytes.readUInt32LE(at);
  const from = at + NODE_HEADER_BYTES + keySize(bytes, at);
  if (flags === 0) return { kind: 'inline', bytes: bytes.subarray(from, from + size) };
  if (flags === NodeFlag.overflow)
    return { kind: 'overflow', page: readU64(bytes, from), pages: readU64(bytes, from + 16), size };
  if (flags === NodeFlag.tree && size === TREE_BYTES) return { kind: 'tree', bytes: bytes.subarray(from, from + size) };
  return `has a node with flags ${flags}`;
}

/** The flags of a node; 0 for inline data. */
export function nodeFlags({ bytes }: TreePage, at: number): number {
  return u16(bytes, at + 4);
}
