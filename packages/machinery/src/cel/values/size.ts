import { CelList, CelMap, CelOpaque, CelOptional, type CelValue } from './value.ts';

/** How many characters a text has; a pair of surrogates is one. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  return count;
}

/** What `size()` gives; undefined if the value has no size. */
export function sizeOfValue(value: CelValue): number | undefined {
  if (typeof value === 'string') return codePointCount(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return undefined;
}

/** The size that costs are counted by: one for what has none. */
export function costSize(value: CelValue): number {
  if (typeof value === 'string') return codePointCount(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof CelOpaque) return value.costSize ?? 1;
  if (value instanceof CelOptional) return value.value === undefined ? 1 : costSize(value.value);
  return sizeOfValue(value) ?? 1;
}
