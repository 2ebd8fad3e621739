import type { TokenKind } from './tokens.ts';

/** The sets of tokens that the grammar allows at its decisions, by which errors are worded. */
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

/** What may follow a rule where another calls for it; `ends` if that other rule may end there as well. */
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
