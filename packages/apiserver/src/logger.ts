export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export type LogFields = Readonly<Record<string, unknown>>;

/** Never throws and never blocks on a disk or terminal. */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** Whether this level is logged, for callers whose fields are costly to compute. */
  enabled(level: LogLevel): boolean;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

/** Discards everything. */
export const silentLogger: Logger = {
  error: ignore,
  warn: ignore,
  info: ignore,
  debug: ignore,
  enabled: () => false,
  child: () => silentLogger,
};

function ignore(): void {}
