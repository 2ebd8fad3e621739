import type { Logger } from '@tsukube/apiserver';

/** Something that runs until it is closed. */
export interface Closable {
  close(): Promise<void>;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Starts something and closes it with SIGINT or SIGTERM; a second signal exits at once. Resolves with the exit code of the process: 0, or
 * 1 if it could not start or close. Uncaught exceptions and unhandled rejections are logged, and the process continues.
 */
export async function runProgram(start: () => Promise<Closable>, logger: Logger): Promise<number> {
  const onError = (error: unknown) => logger.error('uncaught exception', { error: String((error as Error)?.stack ?? error) });
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  // If the reader of the log is gone, the error of a write must not be logged, which would fail again.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  try {
    const running = await start();
    const signal = await firstSignal();
    logger.info('closing', { signal });
    await running.close();
    return 0;
  } catch (error) {
    logger.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of signals)
      process.once(signal, () => {
        resolve(signal);
        for (const each of signals) process.once(each, () => process.exit(1));
      });
  });
}
