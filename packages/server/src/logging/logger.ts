import type { LogFields, Logger, LogLevel } from '@tsukube/apiserver';
import type { LogFormat } from './format.ts';

const importance: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/** Takes finished lines up to a level. */
export interface LogSink {
  readonly level: LogLevel;
  push(line: string): void;
}

/** Whether a line of a level belongs in a log of another. */
export function reaches(line: LogLevel, log: LogLevel): boolean {
  return importance[line] <= importance[log];
}

export function createLogger(sinks: readonly LogSink[], format: LogFormat, now: () => Date, fields: LogFields = {}): Logger {
  const enabled = (level: LogLevel): boolean => sinks.some((sink) => reaches(level, sink.level));

  const at =
    (level: LogLevel) =>
    (message: string, more?: LogFields): void => {
      if (!enabled(level)) return;
      const line = format({ time: now(), level, message, fields: { ...fields, ...more } });
      for (const sink of sinks) if (reaches(level, sink.level)) sink.push(line);
    };

  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    enabled,
    child: (more) => createLogger(sinks, format, now, { ...fields, ...more }),
  };
}
