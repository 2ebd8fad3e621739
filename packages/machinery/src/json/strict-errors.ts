import { goQuote } from '../text/go-quote.ts';
import { maxRepeats, maxStrictErrors, pathsOfKeys } from './exact-parser.ts';
import { skipString } from './scan.ts';

const duplicatePrefix = 'duplicate field "';
const unknownPrefix = 'unknown field "';

/**
 * Strict decoding errors of an object parsed from `text`: duplicate and unknown fields in document order.
 * Duplicates inside an unknown field are not reported.
 */
export function strictErrors(duplicates: readonly string[], unknown: readonly string[], text: Uint8Array): readonly string[] {
  if (duplicates.length === 0) return unknown.length > maxStrictErrors ? unknown.slice(0, maxStrictErrors) : unknown;
  const known = duplicates.filter((duplicate) => !unknown.some((field) => isWithin(duplicate, field)));
  const ordered = unknown.length === 0 ? known : inDocumentOrder(known, unknown, text);
  return ordered.slice(0, maxStrictErrors);
}

function isWithin(duplicate: string, unknown: string): boolean {
  const path = duplicate.slice(duplicatePrefix.length, -1);
  const outer = unknown.slice(unknownPrefix.length, -1);
  if (!path.startsWith(outer)) return false;
  const next = path[outer.length];
  return next === undefined || next === '.' || next === '[';
}

/** The position of an unknown field is its first occurrence, that of a duplicate its second. */
function inDocumentOrder(duplicates: readonly string[], unknown: readonly string[], text: Uint8Array): readonly string[] {
  const problems = new Set([...duplicates, ...unknown]);
  const names = new Set([...problems].map(lastName));
  const seen = new Set<string>();
  const ordered = new Set<string>();
  for (const path of pathsOfKeys(text, (key) => names.has(key) || key.includes('.'))) {
    const quoted = goQuote(path);
    const problem =
      seen.has(path) && problems.has(`duplicate field ${quoted}`) ? `duplicate field ${quoted}` : `unknown field ${quoted}`;
    if (problems.has(problem)) ordered.add(problem);
    seen.add(path);
  }
  return [...ordered, ...[...problems].filter((problem) => !ordered.has(problem))];
}

/** The last key of a path, provided it contains no dot. */
function lastName(problem: string): string {
  const path = problem.slice(problem.indexOf('"') + 1, -1);
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Up to this many keys an array is faster than a Set. */
const fewKeys = 8;

/** An open object or array. */
interface Frame {
  readonly isList: boolean;
  /** Position in an array. */
  index: number;
  /** The current key of an object. */
  key: string;
  awaitsKey: boolean;
  keys: string[] | Set<string>;
}

/**
 * The messages for duplicate keys of a well-formed text. Scans only the keys, and stops at the limits.
 */
export function duplicateKeys(bytes: Buffer): readonly string[] {
  const found = new Set<string>();
  const open: Frame[] = [];
  let repeats = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) {
      const end = skipString(bytes, at + 1);
      const frame = open[open.length - 1];
      if (frame?.awaitsKey) {
        frame.awaitsKey = false;
        frame.key = decodeString(bytes, at, end);
        if (isRepeated(frame)) {
          found.add(`duplicate field ${goQuote(pathOf(open))}`);
          if (++repeats >= maxRepeats || found.size >= maxStrictErrors) break;
        }
      }
      at = end - 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      open.push({ isList: byte === 0x5b, index: 0, key: '', awaitsKey: byte === 0x7b, keys: [] });
    } else if (byte === 0x7d || byte === 0x5d) {
      open.pop();
    } else if (byte === 0x2c) {
      const frame = open[open.length - 1] as Frame;
      if (frame.isList) frame.index++;
      else frame.awaitsKey = true;
    }
  }
  return [...found];
}

/** The string between two quotes. Only escapes and non-ASCII characters need a decoder. */
function decodeString(bytes: Buffer, start: number, end: number): string {
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x5c || byte >= 0x80) return JSON.parse(bytes.toString('utf8', start, end)) as string;
  }
  return bytes.toString('latin1', start + 1, end - 1);
}

function isRepeated(frame: Frame): boolean {
  const { keys, key } = frame;
  if (!Array.isArray(keys)) return keys.size === keys.add(key).size;
  if (keys.includes(key)) return true;
  keys.push(key);
  if (keys.length > fewKeys) frame.keys = new Set(keys);
  return false;
}

function pathOf(open: readonly Frame[]): string {
  let path = '';
  open.forEach(({ isList, index, key }, depth) => {
    if (isList) path += `[${index}]`;
    else path += depth === 0 ? key : `.${key}`;
  });
  return path;
}
