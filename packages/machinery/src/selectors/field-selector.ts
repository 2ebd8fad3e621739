import type { FieldSelector } from './selector.ts';

/** Fails with a StatusError (400). */
export function parseFieldSelector(_text: string): FieldSelector {
  throw new Error('not written yet');
}
