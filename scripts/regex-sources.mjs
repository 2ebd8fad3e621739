import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { workspaces } from './workspaces.mjs';

/** Collects the regular expressions of all packages: literals and RegExp calls, with the reason in the comment above them. */
export function collectRegexes(root) {
  const api = new API({ cwd: root });
  try {
    return packagesIn(root).flatMap((folder) => ofPackage(api, folder));
  } finally {
    api.close();
  }
}

function packagesIn(root) {
  const folders = workspaces().map((workspace) => join(root, workspace));
  return folders.filter((folder) => existsSync(join(folder, 'tsconfig.json')));
}

function ofPackage(api, folder) {
  const config = join(folder, 'tsconfig.json');
  const { program } = api.updateSnapshot({ openProject: config }).getProject(config);
  const files = program
    .getSourceFileNames()
    .filter((file) => file.startsWith(join(folder, 'src/')) && !file.endsWith('.test.ts'));
  return files.flatMap((file) => ofFile(program.getSourceFile(file), file));
}

function ofFile(sourceFile, file) {
  const found = [];
  const constants = new Map();
  const visit = (node, within) => {
    if (node.kind === SyntaxKind.VariableDeclaration && node.initializer) constants.set(node.name.text, node.initializer);
    if (isRegex(node)) found.push({ node, within });
    const path = [...within, node];
    node.forEachChild((child) => visit(child, path));
  };
  sourceFile.forEachChild((child) => visit(child, []));
  return found.map(({ node, within }) => described(node, within, { text: sourceFile.text, constants, file }));
}

function isRegex({ kind, expression }) {
  if (kind === SyntaxKind.RegularExpressionLiteral) return true;
  return (kind === SyntaxKind.NewExpression || kind === SyntaxKind.CallExpression) && expression.text === 'RegExp';
}

function described(node, within, { text, constants, file }) {
  const start = startOf(node, text);
  const line = text.slice(0, start).split('\n').length;
  const reason = reasonAbove([...within, node], text);
  return { file, line, text: text.slice(start, node.end), reason, ...sourceOf(node, constants) };
}

function sourceOf(node, constants) {
  if (node.kind === SyntaxKind.RegularExpressionLiteral) {
    const end = node.text.lastIndexOf('/');
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  const [source, flags] = node.arguments;
  return { source: constantText(source, constants), flags: flags === undefined ? '' : (constantText(flags, constants) ?? 'g') };
}

/** The value of an expression built from constants of its file; undefined for others. */
function constantText(node, constants) {
  const evaluate = (each) => constantText(each, constants);
  switch (node?.kind) {
    case SyntaxKind.StringLiteral:
    case SyntaxKind.NoSubstitutionTemplateLiteral:
      return node.text;
    case SyntaxKind.Identifier:
      return evaluate(constants.get(node.text));
    case SyntaxKind.PropertyAccessExpression:
      return node.name.text === 'source' ? sourceOfLiteral(node.expression, constants) : undefined;
    case SyntaxKind.TemplateExpression:
      return joined([node.head.text, ...node.templateSpans.flatMap((span) => [evaluate(span.expression), span.literal.text])]);
    case SyntaxKind.TaggedTemplateExpression:
      return node.template.rawText ?? undefined;
    case SyntaxKind.BinaryExpression:
      return node.operatorToken.kind === SyntaxKind.PlusToken ? joined([evaluate(node.left), evaluate(node.right)]) : undefined;
    default:
      return undefined;
  }
}

function sourceOfLiteral(node, constants) {
  const literal = node.kind === SyntaxKind.Identifier ? constants.get(node.text) : node;
  return literal?.kind === SyntaxKind.RegularExpressionLiteral ? sourceOf(literal, constants).source : undefined;
}

function joined(parts) {
  return parts.includes(undefined) ? undefined : parts.join('');
}

const reasonComment = /^\/\/ regex: (\S.*)$/;

/** The reason in the line comments above the innermost node that begins a line. */
function reasonAbove(path, text) {
  for (const node of path.toReversed()) {
    const start = startOf(node, text);
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    if (text.slice(lineStart, start).trim() !== '') continue;
    const reason = commentsAbove(text.slice(0, lineStart)).map((comment) => reasonComment.exec(comment)?.[1]);
    if (reason.some(Boolean)) return reason.find(Boolean);
    if (isStatement(node)) return undefined;
  }
  return undefined;
}

function commentsAbove(text) {
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.trim())
    .reverse();
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return end < 0 ? lines : lines.slice(0, end);
}

function isStatement({ kind }) {
  return kind >= SyntaxKind.FirstStatement && kind <= SyntaxKind.LastStatement;
}

/** The start of a node after leading white space and comments. */
function startOf(node, text) {
  const leading = /(?:\s+|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/y;
  leading.lastIndex = node.pos;
  leading.exec(text);
  return leading.lastIndex;
}
