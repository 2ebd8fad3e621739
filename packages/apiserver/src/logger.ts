export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export type LogFields = Readonly<Record<string, unknown>>;

/** Where every layer sends what an operator may want to know. Never throws, never waits for a disk or a terminal. */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** Whether lines of this level are kept, for callers whose fields are costly to gather. */
  enabled(level: LogLevel): boolean;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

/** Keeps nothing. */
export const silentLogger: Logger = {
  error: ignore,
  warn: ignore,
  info: ignore,
  debug: ignore,
  enabled: () => false,
  child: () => silentLogger,
};

function ignore(): void {}
