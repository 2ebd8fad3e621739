import { join } from 'node:path';
import type { RunningServer, StartOptions } from '@tsukube/server';
import type { ServeOptions } from '@tsukube/server/config';
import { type Logs, openLogs } from '@tsukube/server/logging';
import { returnMemoryWhenIdle } from './idle-memory.ts';
import { guardProcess } from './process.ts';
import { Watchdog } from './watchdog.ts';

/** Logging, watchdog and memory management of a serving process. */
export interface ServingProcess {
  readonly logger: Logs['logger'];
  readonly onClients: NonNullable<StartOptions['onClients']>;
  /** Call when the server is ready: an uncaught exception no longer ends the process, and memory is returned when it is idle. */
  watch(server: RunningServer): void;
}

/** Serves with logs, a watchdog and guards, which are closed at the end. `logFile` is a name in the folder of logs. */
export async function withLogs(
  options: ServeOptions,
  logFile: string | undefined,
  serve: (surroundings: ServingProcess) => Promise<number>,
): Promise<number> {
  const logs = openLogs({
    level: options.logLevel,
    format: options.loggingFormat,
    ...(options.dataDir !== undefined && { directory: join(options.dataDir, 'logs') }),
    ...(logFile !== undefined && { fileName: logFile }),
  });
  process.once('exit', () => logs.flushSync());
  const { watchdogThreshold: thresholdMs, loggingFormat: format } = options;
  const watchdog = new Watchdog({ thresholdMs, format });
  try {
    return await serve({
      logger: logs.logger,
      onClients: (isConnected) => thresholdMs > 0 && watchdog.onClients(isConnected),
      watch(server) {
        watchdog.runningRequest = server.runningRequest;
        guardProcess(process, logs.logger);
        returnMemoryWhenIdle(() => server.trimMemory());
      },
    });
  } finally {
    watchdog.stop();
    await logs.close();
  }
}
