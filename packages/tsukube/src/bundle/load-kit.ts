import type * as Kit from '../kit/start.ts';

/** The bundle replaces this module by load-program.ts. */
export function loadKit(): Promise<typeof Kit> {
  return import('../kit/start.ts');
}
