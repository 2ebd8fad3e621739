import { type Expr, operators } from './ast.ts';
import { readLiteral } from './literal.ts';
import { parseList, parseMap, parseMessage } from './parse-collections.ts';
import type { Parser } from './parser.ts';
import {
  follows,
  noTokens,
  reservedWords,
  startOfArguments,
  startOfMember,
  startOfName,
  startOfOptional,
  type Token,
} from './tokens.ts';

/** Parses a primary with its selections and indexes. */
export function parseMember(parser: Parser): Expr {
  const { level } = parser.tokens;
  const { at } = parser.tokens.peek();
  let nested = 0;
  parser.depth.enter('member');
  try {
    parser.tokens.enter(follows.member);
    let expr = parsePrimary(parser);
    parser.tokens.leave();
    while (parser.tokens.is('.') || parser.tokens.is('[')) {
      nested++;
      parser.depth.enter('member');
      expr = parser.tokens.is('.') ? parseSelection(parser, expr) : parseIndex(parser, expr);
    }
    return expr;
  } catch (error) {
    return parser.failed(error, at, level);
  } finally {
    parser.depth.leave('member', nested + 1);
  }
}

function parseSelection(parser: Parser, operand: Expr): Expr {
  const optional = parser.tokens.is('?', 1);
  if (!optional && !startOfName.has(parser.tokens.peek(1).kind)) throw parser.tokens.noAlternative(1);
  const { at } = parser.tokens.take();
  if (optional) parser.tokens.take();
  if (!optional && parser.tokens.is('IDENTIFIER') && parser.tokens.is('(', 1)) return parseMemberCall(parser, operand);
  const name = parseFieldName(parser);
  const field: Expr = { is: 'literal', at: name.at, value: name.text };
  const expr: Expr = optional
    ? { is: 'call', at, function: operators.optionalSelect, target: undefined, args: [operand, field] }
    : { is: 'select', at, operand, field: name.text, testOnly: false };
  parser.depth.note(expr, [operand], true);
  return expr;
}

/** Skips a token that is not a name, and reports it a second time, as cel-go does. */
function parseFieldName(parser: Parser): Pick<Token, 'text' | 'at'> {
  const { level } = parser.tokens;
  const { at } = parser.tokens.peek();
  try {
    parser.tokens.choose(startOfName);
  } catch (error) {
    parser.failed(error, at, level);
    parser.issues.report(at, 'unsupported ident kind');
    return { text: '', at };
  }
  const name = parser.tokens.take();
  if (name.kind === 'ESC_IDENTIFIER') parser.issues.report(name.at, "unsupported syntax: '`'");
  return name;
}

function parseMemberCall(parser: Parser, target: Expr): Expr {
  const name = parser.tokens.take();
  const { at } = parser.tokens.take();
  return parser.call(at, name.text, target, parseArguments(parser), true);
}

function parseArguments(parser: Parser): Expr[] {
  const args: Expr[] = [];
  parser.tokens.choose(startOfArguments);
  if (!parser.tokens.is(')')) {
    parser.tokens.enter(follows.arguments);
    parser.tokens.enter(follows.item);
    args.push(parser.expr());
    while (parser.tokens.is(',')) {
      parser.tokens.take();
      args.push(parser.expr());
    }
    parser.tokens.leave();
    parser.tokens.leave();
  }
  parser.tokens.expect(')', noTokens, true);
  return args;
}

function parseIndex(parser: Parser, operand: Expr): Expr {
  const { at } = parser.tokens.take();
  parser.tokens.choose(startOfOptional);
  const optional = parser.tokens.is('?');
  if (optional) parser.tokens.take();
  parser.tokens.enter(follows.index);
  const index = parser.expr();
  parser.tokens.leave();
  parser.tokens.expect(']', noTokens, true);
  return parser.call(at, optional ? operators.optionalIndex : operators.index, undefined, [operand, index], true);
}

function parsePrimary(parser: Parser): Expr {
  const { level } = parser.tokens;
  const { at } = parser.tokens.peek();
  parser.depth.enter('primary');
  try {
    parser.tokens.choose(startOfMember);
    switch (parser.tokens.peek().kind) {
      case '(':
        return parseNested(parser);
      case '[':
        return parseList(parser);
      case '{':
        return parseMap(parser);
      case '.':
      case 'IDENTIFIER':
        return parseNamed(parser);
      default:
        return readLiteral(parser.tokens, parser.issues);
    }
  } catch (error) {
    return parser.failed(error, at, level);
  } finally {
    parser.depth.leave('primary');
  }
}

function parseNested(parser: Parser): Expr {
  parser.tokens.take();
  parser.tokens.enter(follows.arguments);
  const expr = parser.expr();
  parser.tokens.leave();
  parser.tokens.expect(')', noTokens, true);
  return expr;
}

/** Parses a variable, function call or message literal. */
function parseNamed(parser: Parser): Expr {
  const dotted = parser.tokens.is('.');
  if (dotted && !parser.tokens.is('IDENTIFIER', 1)) throw parser.tokens.noAlternative(1);
  const start = parser.tokens.peek();
  const length = messageNameLength(parser, dotted ? 1 : 0);
  if (length > 0) return parseMessage(parser, length);
  if (dotted) parser.tokens.take();
  const name = parser.tokens.take();
  if (reservedWords.has(name.text)) parser.issues.report(start.at, `reserved identifier: ${name.text}`);
  const full = dotted ? `.${name.text}` : name.text;
  if (!parser.tokens.is('(')) return { is: 'ident', at: name.at, name: full };
  const { at } = parser.tokens.take();
  return parser.call(at, full, undefined, parseArguments(parser), false);
}

/** Number of tokens of a type name before `{`; 0 if there is none. */
function messageNameLength(parser: Parser, start: number): number {
  let length = start + 1;
  while (parser.tokens.is('.', length) && parser.tokens.is('IDENTIFIER', length + 1)) length += 2;
  return parser.tokens.is('{', length) ? length : 0;
}
