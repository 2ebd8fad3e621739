/** Token kinds in the order messages list them. */
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

/** The name of a kind in messages: literals quoted, others by name. */
export function kindName(kind: TokenKind): string {
  return kind === '<EOF>' || /^[A-Z_]+$/.test(kind) ? kind : `'${kind}'`;
}

export function tokenNames(set: ReadonlySet<TokenKind>): string {
  const names = kinds.filter((kind) => set.has(kind)).map(kindName);
  return names.length === 1 ? (names[0] ?? '') : `{${names.join(', ')}}`;
}

/** A token's text in messages. */
export function displayText(text: string): string {
  return `'${text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;
}

export const keywords: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

/** Reserved identifiers; allowed as field names. */
export const reservedWords: ReadonlySet<string> = new Set([
  ...['as', 'break', 'const', 'continue', 'else', 'false', 'for', 'function', 'if', 'import', 'in', 'let', 'loop', 'package'],
  ...['namespace', 'null', 'return', 'true', 'var', 'void', 'while'],
]);

/** Token sets expected at each decision of the grammar; they appear in error messages. */
const literalStart: readonly TokenKind[] = ['true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES'];
const memberStart: readonly TokenKind[] = ['[', '{', '(', '.', '-', ...literalStart, 'IDENTIFIER'];

export const noTokens: ReadonlySet<TokenKind> = new Set();
export const startOfMember: ReadonlySet<TokenKind> = new Set(memberStart);
export const startOfUnary: ReadonlySet<TokenKind> = new Set([...memberStart, '!']);
export const startOfOptional: ReadonlySet<TokenKind> = new Set([...memberStart, '!', '?']);
export const startOfArguments: ReadonlySet<TokenKind> = new Set([...memberStart, '!', ')']);
export const startOfList: ReadonlySet<TokenKind> = new Set([...memberStart, '!', '?', ',', ']']);
export const startOfMap: ReadonlySet<TokenKind> = new Set([...memberStart, '!', '?', ',', '}']);
export const startOfField: ReadonlySet<TokenKind> = new Set(['?', 'IDENTIFIER', 'ESC_IDENTIFIER']);
export const startOfFields: ReadonlySet<TokenKind> = new Set(['?', 'IDENTIFIER', 'ESC_IDENTIFIER', ',', '}']);
export const startOfName: ReadonlySet<TokenKind> = new Set(['IDENTIFIER', 'ESC_IDENTIFIER']);

/** Tokens that may follow a rule; `ends` if the calling rule may end there too. */
export interface Follow {
  readonly tokens: ReadonlySet<TokenKind>;
  readonly ends: boolean;
}

function follow(ends: boolean, ...tokens: TokenKind[]): Follow {
  return { tokens: new Set(tokens), ends };
}

const relations: readonly TokenKind[] = ['==', '!=', 'in', '<', '<=', '>=', '>'];

export const follows = {
  program: follow(false, '<EOF>'),
  condition: follow(true, '?'),
  whenTrue: follow(false, ':'),
  whenFalse: follow(true),
  or: follow(true, '||'),
  and: follow(true, '&&'),
  relation: follow(true, ...relations),
  calc: follow(true, '*', '/', '%', '+', '-'),
  unary: follow(true),
  member: follow(true, '.', '['),
  arguments: follow(false, ')'),
  index: follow(false, ']'),
  listElements: follow(false, ',', ']'),
  mapEntries: follow(false, ',', '}'),
  item: follow(true, ','),
  key: follow(false, ':'),
  optional: follow(true),
} as const;
