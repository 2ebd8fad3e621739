import { write, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger, LogLevel } from '@tsukube/apiserver';
import { type LineQueue, type LineTarget, lineQueue } from './line-queue.ts';
import { createLogger, jsonFormat, type LogFormat, reaches, textFormat } from './logger.ts';
import { type RotationOptions, rotatingFile } from './rotating-file.ts';

export interface LogsOptions {
  /** Level on standard error. The file has at least info. */
  readonly level: LogLevel;
  readonly format: 'text' | 'json';
  /** Folder of the log files; without it there are none. */
  readonly directory?: string;
  /** Name of the log file. */
  readonly fileName?: string;
  readonly rotation?: RotationOptions;
  readonly now?: () => Date;
  readonly console?: LineTarget;
}

export interface Logs {
  readonly logger: Logger;
  /** Writes queued lines synchronously before the process exits. */
  flushSync(): void;
  close(): Promise<void>;
}

export const logFileName = 'tsukube.log';

/** The server's logs: standard error and a rotating file. */
export function openLogs(options: LogsOptions): Logs {
  const { level, directory, console = standardError, now = () => new Date() } = options;
  const format = options.format === 'json' ? jsonFormat : textFormat;
  const fileLevel = reaches('info', level) ? level : 'info';
  const queue = (target: LineTarget): LineQueue => lineQueue(target, { lost: (count) => lostLines(count, format, now) });
  const sinks = [{ level, ...queue(console) }];
  if (directory !== undefined) {
    sinks.push({ level: fileLevel, ...queue(rotatingFile(join(directory, options.fileName ?? logFileName), options.rotation)) });
  }
  return {
    logger: createLogger(sinks, format, now),
    flushSync: () => flushAll(sinks),
    close: async () => void (await Promise.all(sinks.map((sink) => sink.close()))),
  };
}

function lostLines(count: number, format: LogFormat, now: () => Date): string {
  return format({ time: now(), level: 'warn', message: 'log lines were dropped', fields: { count } });
}

function flushAll(sinks: readonly LineQueue[]): void {
  for (const sink of sinks) {
    try {
      sink.flushSync();
    } catch {
      // The process exits: the error cannot be reported.
    }
  }
}

const writeText: (descriptor: number, text: string) => Promise<unknown> = promisify(write);

/** Asynchronous: process.stderr would block the server while the pipe is not read. */
const standardError: LineTarget = {
  async write(text) {
    await writeText(2, text);
  },
  writeSync: (text) => void writeSync(2, text),
  close: async () => {},
};
