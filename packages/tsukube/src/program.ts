import { main } from '@tsukube/cli';
import type * as Kit from './kit/index.ts';

/** The entry of the bundle: the command and the testing kit share one program. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  process.exitCode = await main(argv);
  // A handle that is still open must not keep a finished command alive.
  setTimeout(() => process.exit(), 2_000).unref();
}

/** Initialized on first use, so that the command does not pay for it. */
export function loadKit(): Promise<typeof Kit> {
  return import('./kit/index.ts');
}
