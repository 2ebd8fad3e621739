/** Text that needs no escaping between double quotes: the common case, decided without building anything. */
const plain = /^[ !#-[\]-~]*$/;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const shortEscapes = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** A string as Go's %q prints it. Messages quote this way, and clients compare messages. */
export function goQuote(text: string): string {
  return `"${goEscape(text)}"`;
}

/** What goQuote puts between its quotes. */
export function goEscape(text: string): string {
  if (plain.test(text)) return text;
  let escaped = '';
  for (const character of text) escaped += escapeCharacter(character);
  return escaped;
}

/** A list of strings as Go's %#v prints a []string. */
export function goStringSlice(values: readonly string[]): string {
  return `[]string{${values.map(goQuote).join(', ')}}`;
}

function escapeCharacter(character: string): string {
  const short = shortEscapes.get(character);
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (printable.test(character)) return character;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}

const hexDigits = Buffer.from('0123456789abcdef');

/** As Go's package time quotes: bytes beyond ASCII are written as numbers. */
export function goByteQuote(text: string): string {
  const bytes = Buffer.from(text);
  const quoted = Buffer.allocUnsafe(4 * bytes.length + 2);
  let at = quoted.writeUInt8(0x22, 0);
  for (const byte of bytes) at = quoteByte(byte, quoted, at);
  return quoted.toString('latin1', 0, quoted.writeUInt8(0x22, at));
}

/** Writes a byte as it is, with a backslash before it, or as `\xff`; returns the position behind it. */
function quoteByte(byte: number, quoted: Buffer, at: number): number {
  if (byte >= 0x20 && byte < 0x80) {
    if (byte === 0x22 || byte === 0x5c) quoted[at++] = 0x5c;
    quoted[at++] = byte;
    return at;
  }
  quoted[at++] = 0x5c;
  quoted[at++] = 0x78;
  quoted[at++] = hexDigits[byte >> 4] as number;
  quoted[at++] = hexDigits[byte & 15] as number;
  return at;
}
