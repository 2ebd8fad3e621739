import type * as Kit from '../kit/index.ts';

/** In the bundle load-program.ts takes the place of this module. */
export function loadKit(): Promise<typeof Kit> {
  return import('../kit/index.ts');
}
