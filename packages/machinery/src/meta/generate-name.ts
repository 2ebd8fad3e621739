/** Without vowels and digits that look like vowels, so that no words arise. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxBaseLength = 63 - suffixLength;

/** Like Math.random: from 0 up to but not including 1. */
export type Random = () => number;

/** `base`, truncated if necessary, followed by five random characters. */
export function generateName(base: string, random: Random = Math.random): string {
  return base.slice(0, maxBaseLength) + randomSuffix(suffixLength, random);
}

export function randomSuffix(length: number, random: Random = Math.random): string {
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += alphabet[Math.floor(random() * alphabet.length)];
  return suffix;
}

/** A version 4 UUID. */
export function newUid(): string {
  return crypto.randomUUID();
}
