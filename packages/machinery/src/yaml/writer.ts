import { resolvePlain } from './resolve.ts';

/** Lines are folded at the first space beyond this column. */
const bestWidth = 80;
const lineBreaks: ReadonlySet<string> = new Set(['\n', '\r', '\u0085', '\u2028', '\u2029']);

/** Output that tracks the current column and indentation. */
export class YamlWriter {
  indent = -1;
  /** Whether the line so far contains only indentation and indicators. */
  indention = true;
  #pieces: string[] = [];
  #column = 0;
  #whitespace = true;

  finish(): string {
    if (this.#column > 0) this.#break();
    return this.#pieces.join('');
  }

  /** Starts an item or key at the current indentation, on this line if it contains only indentation. */
  startLine(): void {
    const indent = Math.max(this.indent, 0);
    if (!this.indention || this.#column > indent || (this.#column === indent && !this.#whitespace)) this.#break();
    if (this.#column < indent) this.#put(' '.repeat(indent - this.#column));
    this.#whitespace = true;
    this.indention = true;
  }

  indicator(text: string, options: { spaceBefore?: boolean; indents?: boolean } = {}): void {
    if (options.spaceBefore && !this.#whitespace) this.#put(' ');
    this.#put(text);
    this.#whitespace = false;
    this.indention = this.indention && (options.indents ?? false);
  }

  scalar(text: string, style: Style, isSimpleKey: boolean): void {
    if (style === 'literal') this.#literal(text);
    else if (style === 'plain') this.#plain(text, !isSimpleKey);
    else this.#quoted(text, style, !isSimpleKey);
  }

  #plain(text: string, mayFold: boolean): void {
    if (!this.#whitespace) this.#put(' ');
    this.#foldable([...text], mayFold, 0, (character) => character);
    this.#endScalar();
  }

  #quoted(text: string, style: 'single' | 'double', mayFold: boolean): void {
    const quote = style === 'single' ? "'" : '"';
    this.indicator(quote, { spaceBefore: true });
    if (style === 'single') this.#foldable([...text], mayFold, 1, (character) => (character === "'" ? "''" : character));
    else this.#doubleQuoted([...text], mayFold);
    this.indicator(quote);
    this.#endScalar();
  }

  /** Folds a long line at a single space that is at least `margin` characters from both ends. */
  #foldable(characters: readonly string[], mayFold: boolean, margin: number, write: (character: string) => string): void {
    let afterSpace = false;
    let afterBreak = false;
    characters.forEach((character, i) => {
      const inside = i >= margin && i < characters.length - margin;
      if (character === ' ' && mayFold && !afterSpace && this.#column > bestWidth && inside && characters[i + 1] !== ' ') {
        this.startLine();
      } else if (lineBreaks.has(character)) {
        if (!afterBreak && character === '\n') this.#break();
        this.#writeBreak(character);
        this.indention = true;
      } else {
        if (afterBreak && character !== ' ') this.startLine();
        this.#put(write(character));
        if (character !== ' ') this.indention = false;
      }
      afterSpace = character === ' ';
      afterBreak = lineBreaks.has(character) || (afterBreak && character === ' ');
    });
  }

  #doubleQuoted(characters: readonly string[], mayFold: boolean): void {
    let afterSpace = false;
    characters.forEach((character, i) => {
      const inside = i > 0 && i < characters.length - 1;
      if (character === ' ' && mayFold && !afterSpace && this.#column > bestWidth && inside) {
        this.startLine();
        if (characters[i + 1] === ' ') this.#put('\\');
      } else {
        this.#put(escapeCharacter(character));
      }
      afterSpace = character === ' ';
    });
  }

  #literal(text: string): void {
    this.indicator('|', { spaceBefore: true });
    if (/^[ \n\r\u0085\u2028\u2029]/.test(text)) this.indicator('2');
    const end = trailingBreaks(text);
    if (end === 0) this.indicator('-');
    else if (end > 1 || end === text.length) this.indicator('+');
    this.#break();
    this.indention = true;
    this.#whitespace = true;
    this.#literalLines(text);
  }

  #literalLines(text: string): void {
    let afterBreak = true;
    for (const character of text) {
      if (lineBreaks.has(character)) {
        this.#writeBreak(character);
        this.indention = true;
        afterBreak = true;
      } else {
        if (afterBreak) this.startLine();
        this.#put(character);
        this.indention = false;
        afterBreak = false;
      }
    }
  }

  #endScalar(): void {
    this.#whitespace = false;
    this.indention = false;
  }

  #writeBreak(character: string): void {
    this.#pieces.push(character);
    this.#column = 0;
  }

  #break(): void {
    this.#writeBreak('\n');
  }

  #put(text: string): void {
    this.#pieces.push(text);
    this.#column += text.length;
  }
}

function trailingBreaks(text: string): number {
  let end = text.length;
  while (end > 0 && lineBreaks.has(text.charAt(end - 1))) end--;
  return text.length - end;
}

export type Style = 'plain' | 'single' | 'double' | 'literal';

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const lineBreak = /[\n\r\u0085\u2028\u2029]/;
/** Characters that must be escaped. */
const unprintable = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const indicatorAtStart = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t\n\r\u0085\u2028\u2029]|$)|---|\.\.\.)/;
const indicatorWithin = /:(?:[ \t\n\r\u0085\u2028\u2029]|$)|[ \t\n\r\u0085\u2028\u2029]#/;

export function isMultiline(text: string): boolean {
  return lineBreak.test(text);
}

/** The scalar style that preserves a string. */
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
  if (/^[ ]|[ ]$/.test(text) || lineBreak.test(text) || unprintable.test(text)) return false;
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

/** Escapes a character within double quotes. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const short = escapes.get(code);
  if (short !== undefined) return short;
  if (!unprintable.test(character)) return character;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
