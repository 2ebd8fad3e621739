import { createHash } from 'node:crypto';
import type { ApiRequest } from '../http/request.ts';

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
