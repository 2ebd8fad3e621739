import { createHash, randomBytes } from 'node:crypto';
import type { Random } from '../support/random.ts';

/** The content of a ConfigMap. Every write changes all of it, so that a partial write can be detected. */
export interface Content {
  /** The id of the write. */
  readonly write: string;
  readonly count: string;
  readonly padding: string;
  readonly checksum: string;
}

const usualBytes = 200;
const largeBytes = 60_000;

/** Mostly small; sometimes larger than a page of the database and a network packet. */
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
