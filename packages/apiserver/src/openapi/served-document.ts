import { createHash } from 'node:crypto';
import { TimeSlice } from '@tsukube/storage';
import type { ApiRequest } from '../http/api-request.ts';

/** A document with what HTTP caching needs to know of it. */
export interface ServedDocument {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly modified: number;
}

export function servedDocument(content: string | Uint8Array, modified: number): ServedDocument {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { bytes, hash: createHash('sha512').update(bytes).digest('hex').toUpperCase(), modified };
}

/** The headers of a document, whichever way it is answered; HTTP wants entity tags in quotes. */
export function cachingHeaders({ hash, modified }: ServedDocument, now: number): Record<string, string> {
  return { etag: `"${hash}"`, vary: 'Accept', 'last-modified': lastModified(modified, now) };
}

/**
 * Last-Modified has whole seconds, and a document may change again within this one. Until the second is over an earlier one is
 * named, so that no client takes a document of this second for unmodified.
 */
export function lastModified(modified: number, now: number): string {
  const second = Math.floor(modified / 1000);
  const isOver = Math.floor(now / 1000) > second;
  return new Date((isOver ? second : second - 1) * 1000).toUTCString();
}

/** Whether the client has the document already. Its tag counts more than its time. */
export function isKnown(request: ApiRequest, { hash, modified }: ServedDocument): boolean {
  const ifNoneMatch = request.exchange.header('if-none-match');
  if (ifNoneMatch === undefined) return isUnmodified(request, modified);
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(`"${hash}"`);
}

/** HTTP knows whole seconds only. */
export function isUnmodified(request: ApiRequest, modified: number): boolean {
  const since = request.exchange.header('if-modified-since');
  return since !== undefined && Math.floor(modified / 1000) * 1000 <= Date.parse(since);
}

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
