import type { LogFields, LogLevel } from '@tsukube/apiserver';

export interface LogEntry {
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

export type LogFormat = (entry: LogEntry) => string;

/** One JSON object for each line. */
export const jsonFormat: LogFormat = ({ time, level, message, fields }) => {
  const head = { time: time.toISOString(), level, message };
  try {
    return `${JSON.stringify({ ...fields, ...head }, plain)}\n`;
  } catch (error) {
    return `${JSON.stringify({ ...head, unprintable: String(error) })}\n`;
  }
};

/** `2026-01-31T12:00:00.000Z warn  message key=value`: one line whatever the values hold. */
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

/** What JSON.stringify would lose or refuse. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const { message, stack, cause, ...rest } = value;
  return { ...rest, message, stack, ...(cause === undefined ? {} : { cause }) };
}

/** A message with a line break in it could pass for two log lines. */
function oneLine(message: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return /[\u0000-\u001f\u007f]/.test(message) ? JSON.stringify(message) : message;
}
