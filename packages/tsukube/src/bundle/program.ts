import type * as Kit from '../kit/start.ts';

/** Entry point of the bundle: the command and the testing kit share one program, and each initializes only its own modules. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const { main } = await import('@tsukube/cli');
  process.exitCode = await main(argv);
  // Open handles must not keep a finished command alive.
  setTimeout(() => process.exit(), 2_000).unref();
}

/** In a worker thread: serves heavy requests for the server that started it. */
export async function runWorker(): Promise<void> {
  const { serveInWorker } = await import('@tsukube/server/worker');
  serveInWorker();
}

export function loadKit(): Promise<typeof Kit> {
  return import('../kit/start.ts');
}
