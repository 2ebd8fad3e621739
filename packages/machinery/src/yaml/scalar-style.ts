import { resolvePlain } from './resolve.ts';

export type Style = 'plain' | 'single' | 'double' | 'literal';

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const breaks = /[\n\r\u0085\u2028\u2029]/;
/** What may stand in YAML as it is; anything else has to be escaped. */
const unprintable = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const indicatorAtStart = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t\n\r\u0085\u2028\u2029]|$)|---|\.\.\.)/;
const indicatorWithin = /:(?:[ \t\n\r\u0085\u2028\u2029]|$)|[ \t\n\r\u0085\u2028\u2029]#/;

export function isMultiline(text: string): boolean {
  return breaks.test(text);
}

/** How a text is written so that it is read as the same text. */
export function styleOf(text: string, isSimpleKey: boolean): Style {
  const wanted = text.includes('\n') ? 'literal' : isPlainText(text) ? 'plain' : 'double';
  if (isSimpleKey && isMultiline(text)) return 'double';
  if (wanted === 'literal') return isSimpleKey || !allowsBlock(text) ? 'double' : 'literal';
  if (wanted === 'plain' && !allowsPlain(text)) return allowsSingle(text) ? 'single' : 'double';
  return wanted;
}

function isPlainText(text: string): boolean {
  return resolvePlain(text).is === 'string' && !base60.test(text);
}

function allowsPlain(text: string): boolean {
  if (/^[ ]|[ ]$/.test(text) || breaks.test(text) || unprintable.test(text)) return false;
  return !indicatorAtStart.test(text) && !indicatorWithin.test(text);
}

function allowsSingle(text: string): boolean {
  return !unprintable.test(text) && !/[\n\r\u0085\u2028\u2029] | [\n\r\u0085\u2028\u2029]/.test(text);
}

function allowsBlock(text: string): boolean {
  return !unprintable.test(text) && !text.endsWith(' ') && !/ [\n\r\u0085\u2028\u2029]/.test(text);
}

const escapes = new Map([
  [0x00, '\\0'],
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0b, '\\v'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x1b, '\\e'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
  [0x85, '\\N'],
  [0x2028, '\\L'],
  [0x2029, '\\P'],
]);

/** A character between double quotes. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const short = escapes.get(code);
  if (short !== undefined) return short;
  if (!unprintable.test(character)) return character;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
