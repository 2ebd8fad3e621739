import { escapeCharacter, type Style } from './scalar-style.ts';

/** Lines of text are folded at the first space beyond this column. */
const bestWidth = 80;
const breaks: ReadonlySet<string> = new Set(['\n', '\r', '\u0085', '\u2028', '\u2029']);

/** Text with a notion of where on the line it is. */
export class YamlWriter {
  indent = -1;
  /** Whether everything on this line so far only indents what follows. */
  indention = true;
  #pieces: string[] = [];
  #column = 0;
  #whitespace = true;

  finish(): string {
    if (this.#column > 0) this.#break();
    return this.#pieces.join('');
  }

  /** Goes to where a new item or key of this level begins: on this line if nothing but indentation is on it yet. */
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

  /** A space is replaced by a line break if the line is long and no other space is next to it; `margin` keeps it from either end. */
  #foldable(characters: readonly string[], mayFold: boolean, margin: number, write: (character: string) => string): void {
    let afterSpace = false;
    let afterBreak = false;
    characters.forEach((character, i) => {
      const inside = i >= margin && i < characters.length - margin;
      if (character === ' ' && mayFold && !afterSpace && this.#column > bestWidth && inside && characters[i + 1] !== ' ') {
        this.startLine();
      } else if (breaks.has(character)) {
        if (!afterBreak && character === '\n') this.#break();
        this.#writeBreak(character);
        this.indention = true;
      } else {
        if (afterBreak && character !== ' ') this.startLine();
        this.#put(write(character));
        if (character !== ' ') this.indention = false;
      }
      afterSpace = character === ' ';
      afterBreak = breaks.has(character) || (afterBreak && character === ' ');
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
      if (breaks.has(character)) {
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
  while (end > 0 && breaks.has(text[end - 1] as string)) end--;
  return text.length - end;
}
