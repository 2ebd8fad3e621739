import { ownFile, startWorker, WriterLink } from '@tsukube/server';
import { logFileName } from '@tsukube/server/logging';
import { withLogs } from '../serving.ts';

/**
 * A process of `tsukube serve --workers`. It ends when the process that started it says so, or ends itself. Signals are ignored:
 * a terminal or a service manager sends them to all processes, and the first one decides.
 */
export async function worker(): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const link = await WriterLink.open(process);
  return withLogs(link.start.options, ownFile(logFileName, link.index), async ({ logger, onClients, watch }) => {
    const onLost = (error: Error) => {
      logger.error('this worker process ends', { worker: link.index, error: error.message });
      process.exit(1);
    };
    process.once('disconnect', () => onLost(new Error('the writing process has ended')));
    const server = await startWorker(link, { logger, onClients, onLost });
    watch(server);
    return new Promise<number>((resolve, reject) => {
      link.onStop(() => {
        process.removeAllListeners('disconnect');
        server
          .close()
          .finally(() => process.disconnect())
          .then(() => resolve(0), reject);
      });
    });
  });
}
