/** A problem in an expression and its position. Lines count from 1, columns from 0. */
export interface CompileIssue {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Position of issues without a place in the source. */
export const nowhere = -1;
const maxIssues = 100;
const maxSnippetBytes = 16_384;

/** The issues of an expression. */
export class Issues {
  readonly source: string;
  readonly #found: CompileIssue[] = [];
  #count = 0;

  constructor(source: string) {
    this.source = source;
  }

  get count(): number {
    return this.#count;
  }

  report(at: number, message: string): void {
    this.#count++;
    if (this.#count <= maxIssues) this.#found.push({ ...locate(this.source, at), message });
  }

  sorted(): readonly CompileIssue[] {
    return this.#found.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  text(): string {
    const lines = this.sorted().map((issue) => display(this.source, issue));
    if (this.#count > maxIssues) lines.push(`${this.#count - maxIssues} more errors were truncated`);
    return lines.join('\n');
  }
}

function locate(source: string, at: number): { line: number; column: number } {
  if (at === nowhere) return { line: -1, column: -1 };
  if (source === '') return { line: 1, column: -1 };
  const before = source.slice(0, at);
  const start = before.lastIndexOf('\n') + 1;
  return { line: countOf(before, '\n') + 1, column: codePoints(before.slice(start)) };
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The message, its source line and a caret. Wide characters get wide dots, as in cel-go. */
function display(source: string, { line, column, message }: CompileIssue): string {
  const headline = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  const snippet = line < 1 || source === '' ? undefined : source.split('\n')[line - 1];
  if (snippet === undefined || Buffer.byteLength(snippet) > maxSnippetBytes) return headline;
  const shown = snippet.replaceAll('\t', ' ');
  const characters = [...shown];
  const dots = characters.slice(0, column).map((each) => (isWide(each) ? '\uff0e' : '.'));
  const caret = isWide(characters[column] ?? '') ? '\uff3e' : '^';
  return `${headline}\n | ${shown}\n | ${dots.join('')}${caret}`;
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}
