/** Text that needs no escaping: the common case, decided without allocation. */
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

/** Go's %q. Kubernetes' messages quote this way, and clients compare messages. */
export function goQuote(text: string): string {
  return `"${goEscape(text)}"`;
}

/** goQuote without the quotes. */
export function goEscape(text: string): string {
  if (plain.test(text)) return text;
  let escaped = '';
  for (const character of text) escaped += escapeCharacter(character);
  return escaped;
}

/** Go's %#v of a []string. */
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

/** Quotes like Go's package time: bytes beyond ASCII are escaped. */
export function goByteQuote(text: string): string {
  const bytes = Buffer.from(text);
  const quoted = Buffer.allocUnsafe(4 * bytes.length + 2);
  let at = quoted.writeUInt8(0x22, 0);
  for (const byte of bytes) at = quoteByte(byte, quoted, at);
  return quoted.toString('latin1', 0, quoted.writeUInt8(0x22, at));
}

/** Writes a byte plain, with a backslash, or as `\xff`; returns the end position. */
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
