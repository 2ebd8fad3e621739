import type { CST, Document, LineCounter } from 'yaml';

export type Library = typeof import('yaml');

/** The library leaves scalars as strings: it resolves some of them differently from Kubernetes. */
const options = { version: '1.1', schema: 'failsafe', merge: false, uniqueKeys: false, resolveKnownTags: false } as const;

/** A large text is lexed in slices, to yield to the event loop in between. */
const sliceLength = 10_000;
/** Limit of lexemes, far above any legitimate document. */
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

/** Deeply nested text must not reach the recursive composer: it would overflow the stack. */
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

/** A document token means that the first document is complete; later ones are ignored. */
function hasFirstDocument(tokens: readonly CST.Token[]): boolean {
  return tokens.length > 0 && tokens[tokens.length - 1]?.type === 'document';
}

/** The library creates an Error per problem, and a text can have many. */
function withoutStackTraces<T>(run: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Malformed YAML, or YAML without a JSON equivalent. */
export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
}
