import { badRequest, Refused } from './http-error.ts';
import { maxFields } from './limits.ts';
import { isToken } from './request-line.ts';

export interface HeaderFields {
  /** Names in lower case and values, in turns, in the order sent. */
  readonly raw: readonly string[];
  readonly values: ReadonlyMap<string, string>;
}

/** Also what ends a line for some and not for others. */
const unfit = /[^\t\r\n -~\u0080-\u00ff]|\r(?!\n)|(?<!\r)\n/;

/** The lines between the request line and the empty one. Nothing is mended: a line that is folded or odd is refused. */
export function parseHeaderFields(text: string): HeaderFields {
  if (unfit.test(text)) throw badRequest();
  const raw: string[] = [];
  const values = new Map<string, string>();
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\r\n', from);
    const end = found < 0 ? text.length : found;
    const field = fieldIn(text, from, end);
    if (raw.length >= 2 * maxFields) throw new Refused(431);
    raw.push(field.name, field.value);
    keep(values, field);
    from = end + 2;
  }
  return { raw, values };
}

interface Field {
  readonly name: string;
  readonly value: string;
}

export function fieldIn(text: string, from: number, end: number): Field {
  const mark = text.indexOf(':', from);
  if (mark < 0 || mark >= end) throw badRequest();
  const name = text.slice(from, mark);
  if (!isToken(name)) throw badRequest();
  return { name: name.toLowerCase(), value: trimmed(text, mark + 1, end) };
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

function trimmed(text: string, from: number, end: number): string {
  let first = from;
  let last = end;
  while (first < last && isBlank(text.charCodeAt(first))) first++;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last--;
  return text.slice(first, last);
}

/** What says where a message ends, or whom it is for, is said once. */
const onlyOnce = new Set(['content-length', 'host']);

/** Lists that may be sent in several lines. Of all other fields the first line counts, as Go's Header.Get has it. */
const lists = new Set([
  'connection',
  'expect',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
  'sec-websocket-version',
  'transfer-encoding',
  'upgrade',
]);

function keep(values: Map<string, string>, { name, value }: Field): void {
  const before = values.get(name);
  if (before === undefined) values.set(name, value);
  else if (onlyOnce.has(name)) throw badRequest();
  else if (lists.has(name)) values.set(name, `${before}, ${value}`);
}
