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

/** As Go's package time quotes: bytes beyond ASCII are written as numbers. */
export function goByteQuote(text: string): string {
  let quoted = '"';
  for (const byte of new TextEncoder().encode(text)) quoted += quoteByte(byte);
  return `${quoted}"`;
}

function quoteByte(byte: number): string {
  if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
  return byte >= 0x20 && byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}
