/** CEL's reserved words. */
const reserved = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if'],
  ...['import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

const escapes = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);
const unescapes = new Map([
  ['underscores', '__'],
  ['dot', '.'],
  ['dash', '-'],
  ['slash', '/'],
]);

export function isReservedName(name: string): boolean {
  return reserved.has(name);
}

/** Escapes a property name: `a-b` is `a__dash__b`. Undefined if it cannot be escaped. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => escapes.get(part) ?? part);
}

/** Reverses `escapeName`. Undefined for an invalid escape sequence. */
export function unescapeName(identifier: string): string | undefined {
  if (!identifier.includes('__')) return identifier;
  let valid = true;
  const name = identifier.replace(/__[^_]+__/g, (sequence) => {
    const content = sequence.slice(2, -2);
    const meaning = unescapes.get(content);
    if (meaning !== undefined) return meaning;
    valid &&= reserved.has(content) && sequence.length === identifier.length;
    return content;
  });
  return valid ? name : undefined;
}
