import type { Expr, FieldInit, MapEntry } from './ast.ts';
import type { Parser } from './parser.ts';
import {
  follows,
  noTokens,
  startOfField,
  startOfFields,
  startOfList,
  startOfMap,
  startOfName,
  startOfOptional,
  startOfUnary,
  type TokenKind,
} from './tokens.ts';

export function parseList(parser: Parser): Expr {
  const { tokens } = parser;
  const { at } = tokens.take();
  const elements: Expr[] = [];
  const optionals = new Set<number>();
  tokens.choose(startOfList);
  if (startOfOptional.has(tokens.peek().kind)) {
    tokens.enter(follows.listElements);
    parseItems(parser, startOfOptional, () => {
      if (takeOptional(parser, startOfOptional)) optionals.add(elements.length);
      elements.push(parseValue(parser));
    });
    tokens.leave();
  }
  close(parser, ']');
  const expr: Expr = { is: 'list', at, elements, optionals };
  parser.depth.note(expr, elements, false);
  return expr;
}

export function parseMap(parser: Parser): Expr {
  const { tokens } = parser;
  const { at } = tokens.take();
  const entries: MapEntry[] = [];
  tokens.choose(startOfMap);
  if (startOfOptional.has(tokens.peek().kind)) {
    tokens.enter(follows.mapEntries);
    parseItems(parser, startOfOptional, () => entries.push(parseEntry(parser)));
    tokens.leave();
  }
  close(parser, '}');
  const expr: Expr = { is: 'map', at, entries };
  const parts = entries.flatMap(({ key, value }) => [key, value]);
  parser.depth.note(expr, parts, false);
  return expr;
}

/** Parses a message literal whose type name has `length` tokens. */
export function parseMessage(parser: Parser, length: number): Expr {
  const { tokens } = parser;
  let typeName = '';
  for (let i = 0; i < length; i++) typeName += tokens.take().text;
  const { at } = tokens.take();
  const fields: FieldInit[] = [];
  tokens.choose(startOfFields);
  if (startOfField.has(tokens.peek().kind)) {
    tokens.enter(follows.mapEntries);
    parseItems(parser, startOfField, () => fields.push(parseField(parser)));
    tokens.leave();
  }
  close(parser, '}');
  const expr: Expr = { is: 'struct', at, typeName, fields };
  const values = fields.map(({ value }) => value);
  parser.depth.note(expr, values, false);
  return expr;
}

/** Parses comma-separated items; the caller handles a trailing comma. */
function parseItems(parser: Parser, starts: ReadonlySet<TokenKind>, item: () => void): void {
  const { tokens } = parser;
  const { level } = tokens;
  try {
    item();
    while (tokens.is(',') && starts.has(tokens.peek(1).kind)) {
      tokens.take();
      item();
    }
  } catch (error) {
    parser.failed(error, 0, level);
  }
}

function close({ tokens }: Parser, kind: '}' | ']'): void {
  tokens.choose(new Set<TokenKind>([',', kind]));
  if (tokens.is(',')) tokens.take();
  tokens.expect(kind, noTokens, true);
}

function takeOptional({ tokens }: Parser, expected: ReadonlySet<TokenKind>): boolean {
  tokens.choose(expected);
  if (!tokens.is('?')) return false;
  tokens.take();
  return true;
}

function parseValue(parser: Parser): Expr {
  parser.tokens.enter(follows.item);
  const expr = parser.expr();
  parser.tokens.leave();
  return expr;
}

function parseEntry(parser: Parser): MapEntry {
  const optional = takeOptional(parser, startOfOptional);
  parser.tokens.enter(follows.key);
  const key = parser.expr();
  parser.tokens.leave();
  const { at } = parser.tokens.expect(':', startOfUnary, false);
  return { at, key, value: parseValue(parser), optional };
}

function parseField(parser: Parser): FieldInit {
  const optional = takeOptional(parser, startOfField);
  parser.tokens.choose(startOfName);
  const name = parser.tokens.take();
  if (name.kind === 'ESC_IDENTIFIER') parser.issues.report(name.at, "unsupported syntax: '`'");
  const { at } = parser.tokens.expect(':', startOfUnary, false);
  return { at, name: name.text, value: parseValue(parser), optional };
}
