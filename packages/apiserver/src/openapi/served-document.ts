import { createHash } from 'node:crypto';
import { TimeSlice } from '@tsukube/storage';
import type { ApiRequest } from '../http/api-request.ts';

/** A document with its ETag and modification time. */
export interface ServedDocument {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly modified: number;
}

export function servedDocument(content: string | Uint8Array, modified: number): ServedDocument {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { bytes, hash: createHash('sha512').update(bytes).digest('hex').toUpperCase(), modified };
}

/** Caching headers of a document. */
export function cachingHeaders({ hash, modified }: ServedDocument, now: number): Record<string, string> {
  return { etag: `"${hash}"`, vary: 'Accept', 'last-modified': lastModified(modified, now) };
}

/**
 * Last-Modified has a resolution of one second, in which a document may change again. Until the second is over, the previous
 * second is sent, so that no client takes a newer document for unmodified.
 */
export function lastModified(modified: number, now: number): string {
  const second = Math.floor(modified / 1000);
  const isOver = Math.floor(now / 1000) > second;
  return new Date((isOver ? second : second - 1) * 1000).toUTCString();
}

/** Whether the client's copy is current. If-None-Match takes precedence over If-Modified-Since. */
export function isKnown(request: ApiRequest, { hash, modified }: ServedDocument): boolean {
  const ifNoneMatch = request.exchange.header('if-none-match');
  if (ifNoneMatch === undefined) return isUnmodified(request, modified);
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(`"${hash}"`);
}

/** HTTP dates have whole seconds. */
export function isUnmodified(request: ApiRequest, modified: number): boolean {
  const since = request.exchange.header('if-modified-since');
  return since !== undefined && Math.floor(modified / 1000) * 1000 <= Date.parse(since);
}

const chunkCharacters = 256 * 1024;

/** Collects lazily generated items in time slices. */
export async function collectInSlices<T>(items: Iterable<T>): Promise<T[]> {
  const slice = new TimeSlice();
  const collected: T[] = [];
  for (const item of items) {
    collected.push(item);
    if (slice.over) await slice.rest();
  }
  return collected;
}

/** Encodes and hashes text chunks in time slices. */
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

/** Regroups text into chunks of a fixed size. */
function* inChunks(pieces: Iterable<string>): Iterable<string> {
  let text = '';
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; start += chunkCharacters) {
      text += piece.slice(start, start + chunkCharacters);
      if (text.length < chunkCharacters) continue;
      // Does not split surrogate pairs.
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
