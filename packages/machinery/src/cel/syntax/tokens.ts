/** The kinds of tokens, in the order in which messages list them. */
export const kinds = [
  ...['<EOF>', '==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':'],
  ...['+', '*', '/', '%', 'true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER'],
  'ESC_IDENTIFIER',
] as const;

export type TokenKind = (typeof kinds)[number];

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

/** How messages name a kind: literals in quotes, the others by name. */
export function kindName(kind: TokenKind): string {
  return kind === '<EOF>' || /^[A-Z_]+$/.test(kind) ? kind : `'${kind}'`;
}

export function namesOf(set: ReadonlySet<TokenKind>): string {
  const names = kinds.filter((kind) => set.has(kind)).map(kindName);
  return names.length === 1 ? (names[0] ?? '') : `{${names.join(', ')}}`;
}

/** A token's text as messages show it. */
export function displayText(text: string): string {
  return `'${text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;
}

export const keywords: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

/** Words that are no variables, though fields may be called so. */
export const reservedWords: ReadonlySet<string> = new Set([
  ...['as', 'break', 'const', 'continue', 'else', 'false', 'for', 'function', 'if', 'import', 'in', 'let', 'loop', 'package'],
  ...['namespace', 'null', 'return', 'true', 'var', 'void', 'while'],
]);
