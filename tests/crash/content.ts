import { createHash, randomBytes } from 'node:crypto';
import type { Random } from '../support/random.ts';

/** What a config map holds. Every write changes all of it, so that half of a write can be told from a whole one. */
export interface Content {
  /** The write that made it. */
  readonly write: string;
  readonly count: string;
  readonly padding: string;
  readonly checksum: string;
}

const usualBytes = 200;
const largeBytes = 60_000;

/** Mostly small; now and then larger than a page of the database, and than a packet. */
export function newContent(write: string, count: number, random: Random): Content {
  const bytes = random(50) === 0 ? largeBytes : random(usualBytes);
  const parts = { write, count: String(count), padding: randomBytes(bytes).toString('hex') };
  return { ...parts, checksum: checksumOf(parts) };
}

export function isWhole(data: Partial<Content> | undefined): data is Content {
  if (data?.write === undefined || data.count === undefined || data.padding === undefined) return false;
  return data.checksum === checksumOf({ write: data.write, count: data.count, padding: data.padding });
}

function checksumOf({ write, count, padding }: Omit<Content, 'checksum'>): string {
  return createHash('sha256').update(`${write} ${count} ${padding}`).digest('hex').slice(0, 16);
}
