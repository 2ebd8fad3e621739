import { createHash } from 'node:crypto';
import { TimeSlice } from '@tsukube/storage';
import type { ServedDocument } from './served-document.ts';

const chunkCharacters = 256 * 1024;

/** Takes items that are made as they are taken, a few milliseconds in each turn of the event loop. */
export async function collectInSlices<T>(items: Iterable<T>): Promise<T[]> {
  const slice = new TimeSlice();
  const collected: T[] = [];
  for (const item of items) {
    collected.push(item);
    if (slice.over) await slice.rest();
  }
  return collected;
}

/** Encodes and hashes a long text that comes in pieces. */
export async function documentInSlices(pieces: Iterable<string>, modified: number): Promise<ServedDocument> {
  const slice = new TimeSlice();
  const hash = createHash('sha512');
  const chunks: Buffer[] = [];
  for (const text of inChunks(pieces)) {
    const chunk = Buffer.from(text);
    hash.update(chunk);
    chunks.push(chunk);
    if (slice.over) await slice.rest();
  }
  return { bytes: Buffer.concat(chunks), hash: hash.digest('hex').toUpperCase(), modified };
}

/** Neither many small pieces nor one that takes long. */
function* inChunks(pieces: Iterable<string>): Iterable<string> {
  let text = '';
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; start += chunkCharacters) {
      text += piece.slice(start, start + chunkCharacters);
      if (text.length < chunkCharacters) continue;
      // Half of a character outside the basic plane waits for its other half.
      const end = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
      yield text.slice(0, end);
      text = text.slice(end);
    }
  }
  yield text;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
