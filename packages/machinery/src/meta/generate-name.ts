/** No vowels, and no digits that look like one, so that no words come out. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxBaseLength = 63 - suffixLength;

/** Numbers from 0 up to but not including 1. */
export type Random = () => number;

/** A name that begins with `base` and ends in five random characters. */
export function generateName(base: string, random: Random = Math.random): string {
  return base.slice(0, maxBaseLength) + randomSuffix(suffixLength, random);
}

export function randomSuffix(length: number, random: Random = Math.random): string {
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += alphabet[Math.floor(random() * alphabet.length)];
  return suffix;
}

/** A new random identity for an object: a version 4 UUID. */
export function newUid(): string {
  return crypto.randomUUID();
}
