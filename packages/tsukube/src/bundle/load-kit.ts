import type * as Kit from '../kit/index.ts';

/** The bundle replaces this module by load-program.ts. */
export function loadKit(): Promise<typeof Kit> {
  return import('../kit/index.ts');
}
