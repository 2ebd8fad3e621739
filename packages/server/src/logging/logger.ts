import type { LogFields, Logger, LogLevel } from '@tsukube/apiserver';

const importance: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/** Receives formatted lines up to a level. */
export interface LogSink {
  readonly level: LogLevel;
  push(line: string): void;
}

/** Whether a line of one level is logged at another. */
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

export interface LogEntry {
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

export type LogFormat = (entry: LogEntry) => string;

/** One JSON object per line. */
export const jsonFormat: LogFormat = ({ time, level, message, fields }) => {
  const head = { time: time.toISOString(), level, message };
  try {
    return `${JSON.stringify({ ...fields, ...head }, plain)}\n`;
  } catch (error) {
    return `${JSON.stringify({ ...head, unprintable: String(error) })}\n`;
  }
};

/** `2026-01-31T12:00:00.000Z warn  message key=value`, always a single line. */
export const textFormat: LogFormat = ({ time, level, message, fields }) => {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${textOf(value)}`);
  return `${time.toISOString()} ${level.padEnd(5)} ${oneLine(message)}${pairs.join('')}\n`;
};

function textOf(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : safeJson(value);
  return /^[\w.:/@+%-]+$/.test(text) || typeof value !== 'string' ? text : JSON.stringify(text);
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value, plain) ?? String(value);
  } catch (error) {
    return JSON.stringify(String(error));
  }
}

/** Replaces values that JSON.stringify cannot represent. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const { message, stack, cause, ...rest } = value;
  return { ...rest, message, stack, ...(cause === undefined ? {} : { cause }) };
}

/** Escapes control characters: a line break could forge a log line. */
function oneLine(message: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  return /[\u0000-\u001f\u007f]/.test(message) ? JSON.stringify(message) : message;
}
