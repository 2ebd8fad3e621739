/**
 * Code lengths in bits of all bytes and of EOS (RFC 7541, appendix B). The code is canonical: codes increase from the shortest to
 * the longest, and by byte among those of one length.
 */
// biome-ignore format: a table
const lengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];
const endOfString = 256;

/** A transition by four bits: next state in the low byte, the completed byte in the second, then the flags `completes` and `fails`. */
const completes = 1 << 16;
const fails = 1 << 17;

interface Machine {
  readonly steps: Int32Array;
  /** States in which a string may end: the padding is a prefix of EOS shorter than a byte. */
  readonly mayEnd: Uint8Array;
}

let machine: Machine | undefined;

/** Decodes into `into`, which has room for twice the length. Returns the length, or -1 if the code is invalid. */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number, into: Uint8Array): number {
  machine ??= buildMachine();
  const { steps } = machine;
  let state = 0;
  let length = 0;
  let failures = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    const high = steps[(state << 4) | (byte >>> 4)] as number;
    if ((high & completes) !== 0) into[length++] = high >>> 8;
    const low = steps[((high & 0xff) << 4) | (byte & 15)] as number;
    if ((low & completes) !== 0) into[length++] = low >>> 8;
    failures |= high | low;
    state = low & 0xff;
  }
  return (failures & fails) !== 0 || machine.mayEnd[state] !== 1 ? -1 : length;
}

/** Two children for each inner node; a leaf is its symbol, negative and counted from -1. */
type Tree = [left: number, right: number][];

function buildMachine(): Machine {
  const tree = buildTree();
  const steps = new Int32Array(tree.length * 16);
  for (let state = 0; state < tree.length; state++) {
    for (let bits = 0; bits < 16; bits++) steps[state * 16 + bits] = stepFrom(tree, state, bits);
  }
  return { steps, mayEnd: endings(tree) };
}

function buildTree(): Tree {
  const tree: Tree = [[0, 0]];
  const order = lengths.map((_, symbol) => symbol).sort((a, b) => lengthOf(a) - lengthOf(b) || a - b);
  let code = 0;
  let before = lengthOf(order[0] as number);
  for (const symbol of order) {
    code *= 2 ** (lengthOf(symbol) - before);
    before = lengthOf(symbol);
    plant(tree, code, before, symbol);
    code++;
  }
  return tree;
}

function lengthOf(symbol: number): number {
  return lengths[symbol] as number;
}

function plant(tree: Tree, code: number, length: number, symbol: number): void {
  let node = 0;
  for (let bit = length - 1; bit > 0; bit--) {
    const side = (code >>> bit) & 1;
    const children = tree[node] as [number, number];
    if (children[side] === 0) children[side] = tree.push([0, 0]) - 1;
    node = children[side] as number;
  }
  (tree[node] as [number, number])[code & 1] = -1 - symbol;
}

function stepFrom(tree: Tree, state: number, bits: number): number {
  let node = state;
  let completed = 0;
  for (let bit = 3; bit >= 0; bit--) {
    const next = (tree[node] as [number, number])[((bits >>> bit) & 1) as 0 | 1];
    if (next >= 0) node = next;
    else if (next === -1 - endOfString) return fails;
    else {
      completed = completes | ((-1 - next) << 8);
      node = 0;
    }
  }
  return completed | node;
}

/** The root, and up to seven steps along the ones, the prefix of EOS. */
function endings(tree: Tree): Uint8Array {
  const mayEnd = new Uint8Array(256);
  for (let node = 0, depth = 0; depth < 8; depth++) {
    mayEnd[node] = 1;
    node = (tree[node] as [number, number])[1];
  }
  return mayEnd;
}
