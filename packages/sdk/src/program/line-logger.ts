import type { Logger } from '@tsukube/apiserver';

type Level = 'debug' | 'info' | 'warn' | 'error';
type Fields = Readonly<Record<string, unknown>>;

const levels: readonly Level[] = ['debug', 'info', 'warn', 'error'];

export interface LineLoggerOptions {
  /** `info` by default. */
  readonly level?: Level;
  /** Takes a line with its newline. Standard error by default. */
  readonly write?: (line: string) => void;
  readonly now?: () => Date;
}

/** Logs one JSON object in a line, for programs. */
export function lineLogger(options: LineLoggerOptions = {}): Logger {
  const { level = 'info', write = (line) => void process.stderr.write(line), now = () => new Date() } = options;
  const enabled = (each: Level) => levels.indexOf(each) >= levels.indexOf(level);
  const logger = (common: Fields): Logger => {
    const at =
      (each: Level) =>
      (message: string, fields: Fields = {}) => {
        if (enabled(each)) write(`${JSON.stringify({ time: now(), level: each, message, ...common, ...fields })}\n`);
      };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      enabled: (each) => enabled(each as Level),
      child: (fields) => logger({ ...common, ...fields }),
    };
  };
  return logger({});
}
