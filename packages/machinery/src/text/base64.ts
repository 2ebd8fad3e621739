const canonical = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/;
const lastOfTwo = /[AQgw]==$/;
const lastOfThree = /[AEIMQUYcgkosw048]=$/;

/** Invalid base64; the message equals Go's. */
export class Base64Error extends Error {
  override readonly name = 'Base64Error';
}

/** Returns standard base64 without line breaks and with unused bits zero. Throws Base64Error. */
export function canonicalBase64(text: string): string {
  if (isCanonical(text)) return text;
  const position = firstIllegal(text);
  if (position !== undefined) throw new Base64Error(`illegal base64 data at input byte ${position}`);
  return Buffer.from(text, 'base64').toString('base64');
}

/** The regular expression is faster for short texts, and overflows the stack of V8's matcher for very long ones. */
const longText = 1 << 16;

function isCanonical(text: string): boolean {
  if (text.length > longText) return Buffer.from(text, 'base64').toString('base64') === text;
  return canonical.test(text) && hasNoStrayBits(text);
}

function hasNoStrayBits(text: string): boolean {
  if (!text.endsWith('=')) return true;
  return text.endsWith('==') ? lastOfTwo.test(text) : lastOfThree.test(text);
}

/** The position where Go's decoder stops. It reads groups of four and skips line breaks. */
function firstIllegal(text: string): number | undefined {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  for (;;) {
    for (let inGroup = 0; inGroup < 4; inGroup++) {
      at = skipLineBreaks(bytes, at);
      const byte = bytes[at];
      if (byte === undefined) return inGroup === 0 ? undefined : at - inGroup;
      at++;
      if (isDigit(byte)) continue;
      return byte === 0x3d ? illegalPadding(bytes, at, inGroup) : at - 1;
    }
  }
}

/** After the first padding character: a second one if the group has two digits, then nothing. */
function illegalPadding(bytes: Uint8Array, afterPadding: number, inGroup: number): number | undefined {
  let at = afterPadding;
  if (inGroup < 2) return at - 1;
  if (inGroup === 2) {
    at = skipLineBreaks(bytes, at);
    if (at === bytes.length) return bytes.length;
    if (bytes[at] !== 0x3d) return at - 1;
    at++;
  }
  at = skipLineBreaks(bytes, at);
  return at < bytes.length ? at : undefined;
}

function skipLineBreaks(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return at;
}

function isDigit(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2f;
}
