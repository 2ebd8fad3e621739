/** The literal cannot be read; the message says why. */
export class UnescapeError extends Error {
  override readonly name = 'UnescapeError';
}

const simple: { readonly [letter: string]: string } = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};
const sequence = /\\(?:[xX]([0-9a-fA-F]{2})|(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|([0-3][0-7]{2})|(.))/gs;

/** The text of a string literal with its quotes. */
export function unescapeString(literal: string): string {
  const { body, raw } = unquote(literal);
  return raw || !body.includes('\\') ? body : body.replace(sequence, stringEscape);
}

function stringEscape(_: string, byte?: string, short?: string, long?: string, octal?: string, letter?: string): string {
  if (letter !== undefined) return simple[letter] ?? fail('unable to unescape string');
  const point = octal === undefined ? Number.parseInt(byte ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) fail('invalid unicode code point');
  return String.fromCodePoint(point);
}

/** The bytes of a bytes literal without its `b`: escapes are bytes, other characters are UTF-8. */
export function unescapeBytes(literal: string): Uint8Array {
  const { body, raw } = unquote(literal);
  if (raw || !body.includes('\\')) return new Uint8Array(Buffer.from(body));
  const parts: Buffer[] = [];
  let last = 0;
  for (const match of body.matchAll(sequence)) {
    parts.push(Buffer.from(body.slice(last, match.index)), byteEscape(match));
    last = match.index + match[0].length;
  }
  return new Uint8Array(Buffer.concat([...parts, Buffer.from(body.slice(last))]));
}

function byteEscape([, byte, short, long, octal, letter]: RegExpExecArray): Buffer {
  if (short !== undefined || long !== undefined) fail('unable to unescape string');
  if (letter !== undefined) return Buffer.from(simple[letter] ?? fail('unable to unescape string'));
  return Buffer.from([octal === undefined ? Number.parseInt(byte ?? '', 16) : Number.parseInt(octal, 8)]);
}

function fail(message: string): never {
  throw new UnescapeError(message);
}

function unquote(literal: string): { body: string; raw: boolean } {
  const text = literal.replace(/\r\n?/g, '\n');
  const raw = text[0] === 'r' || text[0] === 'R';
  const quoted = raw ? text.slice(1) : text;
  const quotes = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1;
  return { body: quoted.slice(quotes, -quotes), raw };
}
