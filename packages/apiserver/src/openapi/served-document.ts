import { createHash } from 'node:crypto';

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
export function cachingHeaders({ hash, modified }: ServedDocument): Record<string, string> {
  return { etag: `"${hash}"`, vary: 'Accept', 'last-modified': new Date(modified).toUTCString() };
}

/** Whether a client that sends this If-None-Match has the document already. */
export function isKnown(ifNoneMatch: string | undefined, { hash }: ServedDocument): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(`"${hash}"`);
}
