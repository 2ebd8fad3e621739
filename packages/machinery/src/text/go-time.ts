/** Go's time.Parse for the layouts Kubernetes uses, with Go's errors. */
import { goByteQuote as quote } from './go-quote.ts';

/** Seconds since 1970, and nanoseconds. */
export interface GoTime {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** Invalid time; the message equals Go's. */
export class GoTimeError extends Error {
  override readonly name = 'GoTimeError';
}

export const rfc3339 = '2006-01-02T15:04:05Z07:00';
export const rfc3339Micro = '2006-01-02T15:04:05.000000Z07:00';

export function parseGoTime(text: string, layout: typeof rfc3339 | typeof rfc3339Micro): GoTime {
  return new TimeReader(text, layout).read();
}

class TimeReader {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  read(): GoTime {
    const year = this.#number('2006', /^[0-9]{4}/);
    this.#literal('-');
    const month = this.#inRange('month', this.#number('01', /^[0-9]{2}/), 1, 12);
    this.#literal('-');
    const day = this.#number('02', /^[0-9]{2}/);
    this.#literal('T');
    const hour = this.#inRange('hour', this.#number('15', /^[0-9]{1,2}/), 0, 23);
    this.#literal(':');
    const minute = this.#inRange('minute', this.#number('04', /^[0-9]{2}/), 0, 59);
    this.#literal(':');
    const second = this.#inRange('second', this.#number('05', /^[0-9]{2}/), 0, 59);
    const nanoseconds = this.#fraction();
    const offset = this.#offset();
    if (this.#rest !== '') throw this.#problem(`: extra text: ${quote(this.#rest)}`);
    if (day < 1 || day > daysIn(month, year)) throw this.#problem(': day out of range');
    return { seconds: secondsAt(year, month, day, hour, minute, second) - offset, nanoseconds };
  }

  #number(element: string, pattern: RegExp): number {
    const digits = pattern.exec(this.#rest)?.[0];
    if (digits === undefined) throw this.#mismatch(this.#rest, element);
    this.#rest = this.#rest.slice(digits.length);
    return Number(digits);
  }

  #literal(text: string): void {
    if (!this.#rest.startsWith(text)) throw this.#mismatch(this.#rest, text);
    this.#rest = this.#rest.slice(text.length);
  }

  #inRange(what: string, value: number, least: number, most: number): number {
    if (value < least || value > most) throw this.#problem(`: ${what} out of range`);
    return value;
  }

  /** A layout without fraction accepts one of any length; one with six digits requires exactly six. */
  #fraction(): number {
    const exact = this.#layout === rfc3339Micro;
    const digits = (exact ? /^[.,]([0-9]{6})/ : /^[.,]([0-9]+)/).exec(this.#rest);
    if (digits === null) {
      if (exact) throw this.#mismatch(this.#rest, '.000000');
      return 0;
    }
    this.#rest = this.#rest.slice(digits[0].length);
    return Number((digits[1] ?? '').slice(0, 9).padEnd(9, '0'));
  }

  #offset(): number {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const before = this.#rest;
    const match = /^([+-])([0-9]{2}):([0-9]{2})/.exec(before);
    if (match === null) throw this.#mismatch(before, 'Z07:00');
    const hours = this.#inRange('time zone offset hour', Number(match[2]), 0, 24);
    const minutes = this.#inRange('time zone offset minute', Number(match[3]), 0, 60);
    this.#rest = before.slice(6);
    return (match[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  }

  #mismatch(rest: string, element: string): GoTimeError {
    return this.#problem(` as ${quote(this.#layout)}: cannot parse ${quote(rest)} as ${quote(element)}`);
  }

  #problem(detail: string): GoTimeError {
    return new GoTimeError(`parsing time ${quote(this.#text)}${detail}`);
  }
}

function daysIn(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Date.UTC maps years below 100 to the 20th century. */
function secondsAt(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime() / 1000;
}
