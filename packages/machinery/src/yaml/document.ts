import type { CST, Document, LineCounter } from 'yaml';

export type Library = typeof import('yaml');

/** Scalars are left alone by the library: it reads some of them differently from Kubernetes. */
const options = { version: '1.1', schema: 'failsafe', merge: false, uniqueKeys: false, resolveKnownTags: false } as const;

/** A large text is read in slices, so that others have their turn in between. */
const sliceLength = 10_000;
/** More than any text has that is not made to be slow. */
const maxLexemes = 1_000_000;

/** The first document of a text; undefined if there is none. */
export async function readDocument(
  library: Library,
  text: string,
  lines: LineCounter,
  maxDepth: number,
): Promise<Document.Parsed | undefined> {
  const tokens = await readTokens(library, text, lines, maxDepth);
  return withoutStackTraces(() => {
    const composer = new library.Composer({ ...options, lineCounter: lines });
    for (const document of composer.compose(tokens, true)) return document as Document.Parsed;
    return undefined;
  });
}

/** Text that is nested too deep must not reach the composer: it would exhaust the stack, and with it the process. */
async function readTokens(library: Library, text: string, lines: LineCounter, maxDepth: number): Promise<CST.Token[]> {
  const parser = new library.Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  lines.addNewLine(0);
  for (const lexeme of new library.Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > maxDepth) throw new YamlSyntaxError(`yaml: exceeded max depth of ${maxDepth}`);
    if (hasFirstDocument(tokens)) return tokens;
    if (++lexemes > maxLexemes) throw new YamlSyntaxError('yaml: document is too large');
    if (lexemes % sliceLength === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** A document is complete once it is a token; a second one is never looked at. */
function hasFirstDocument(tokens: readonly CST.Token[]): boolean {
  return tokens.length > 0 && tokens[tokens.length - 1]?.type === 'document';
}

/** The library makes an Error of each of its complaints, and a text can give cause to many. */
function withoutStackTraces<T>(run: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** The text is not YAML, or not YAML that can be said in JSON. */
export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
}
