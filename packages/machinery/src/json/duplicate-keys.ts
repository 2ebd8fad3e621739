import { goQuote } from '../text/go-quote.ts';
import { maxRepeats, maxStrictErrors } from './exact-parser.ts';
import { skipString } from './scan.ts';

/** Up to this many keys of an object are compared one by one. */
const fewKeys = 8;

/** An object or list that is not closed yet. */
interface Frame {
  readonly isList: boolean;
  /** Position in a list. */
  index: number;
  /** The last key of an object. */
  key: string;
  awaitsKey: boolean;
  keys: string[] | Set<string>;
}

/**
 * The messages about keys that a text repeats. The text is well-formed and has been read: only its keys are looked at, and
 * no further than there is something to tell.
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
        frame.key = textOf(bytes, at, end);
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

/** Between quotes. Only escapes and characters beyond ASCII need a decoder. */
function textOf(bytes: Buffer, start: number, end: number): string {
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
