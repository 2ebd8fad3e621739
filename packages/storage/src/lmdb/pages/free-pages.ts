import { META_PAGES, PAGE_HEADER_BYTES, readU64 } from './layout.ts';
import type { NodeData } from './page.ts';
import type { PageFile } from './page-file.ts';

/**
 * The pages that an entry of the free tree lists: a count of words, then words. A word is a page; or, if negative, the number of
 * pages of a block, whose first page follows; or 0 for a gap. Undefined if the list cannot be right.
 */
export function freePages(file: PageFile, data: NodeData, lastPage: number): number[] | undefined {
  const words = wordsOf(file, data);
  const count = words.length < 8 ? 0 : readI64(words, 0);
  if (count < 0 || (count + 1) * 8 > words.length) return undefined;
  const pages: number[] = [];
  for (let at = 8; at < (count + 1) * 8; at += 8) {
    const word = readI64(words, at);
    if (word === 0) continue;
    const block = word < 0 ? -word : 1;
    if (word < 0) at += 8;
    const first = word < 0 ? (at < (count + 1) * 8 ? readI64(words, at) : 0) : word;
    if (first < META_PAGES || first + block - 1 > lastPage) return undefined;
    for (let page = first; page < first + block; page++) pages.push(page);
  }
  return pages;
}

function wordsOf(file: PageFile, data: NodeData): Buffer {
  if (data.kind !== 'overflow') return data.bytes;
  return file.bytes(data.page, PAGE_HEADER_BYTES + data.size).subarray(PAGE_HEADER_BYTES);
}

function readI64(words: Buffer, at: number): number {
  return words.readInt32LE(at + 4) < 0 ? Number(words.readBigInt64LE(at)) : readU64(words, at);
}
