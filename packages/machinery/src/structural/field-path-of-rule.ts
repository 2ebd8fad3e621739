import type { SchemaNode } from './schema-node.ts';

/** A path within a schema, as errors write it, and the schema at its end. */
export interface FoundField {
  readonly path: string;
  readonly node: SchemaNode | undefined;
}

/** Finds what a path such as `.spec.list['a.b']` names; a text says why it names nothing. */
export function findField(jsonPath: string, root: SchemaNode, options: { readonly subscripts: boolean }): FoundField | string {
  const tokens = tokensOf(jsonPath);
  let found: FoundField = { path: '', node: root };
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i++] as string;
    if (token !== '.' && token !== '[') return `expected [ or . but got: ${token}`;
    if (token === '[' && !options.subscripts) return 'array notation is not allowed';
    const written = tokens[i++];
    if (written === undefined) return 'unexpected end of JSON path';
    const name = token === '.' ? { text: written } : unquoted(written);
    if (typeof name === 'string') return name;
    const next = step(found, name.text);
    if (typeof next === 'string') return next;
    found = next;
    if (token === '.') continue;
    const close = tokens[i++];
    if (close === undefined) return 'unexpected end of JSON path';
    if (close !== ']') return `expected ] but got ${close}`;
  }
  return found;
}

function step({ path, node }: FoundField, name: string): FoundField | string {
  if (node?.properties !== undefined) {
    const child = node.properties.get(name);
    if (child === undefined) return 'does not refer to a valid field';
    return { path: path === '' ? name : `${path}.${name}`, node: child };
  }
  if (node?.additional === undefined) return 'does not refer to a valid field';
  return { path: `${path}[${name}]`, node: typeof node.additional === 'object' ? node.additional : undefined };
}

/** Dots and brackets are tokens of their own, except between single quotes. */
function tokensOf(jsonPath: string): readonly string[] {
  // regex: linear, a quote that is not closed takes the rest of the text.
  return jsonPath.match(/'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]']+[^.[\]]*|'[\s\S]*$/g) ?? [];
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  "'": "'",
  '\\': '\\',
};

function unquoted(token: string): { readonly text: string } | string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return `expected single quoted string but got ${token}`;
  let problem: string | undefined;
  const text = token.slice(1, -1).replace(/\\(.)/g, (sequence, character: string) => {
    if (escapes[character] === undefined) problem = `invalid string literal: invalid escape char ${sequence}`;
    return escapes[character] ?? '';
  });
  return problem ?? { text };
}
