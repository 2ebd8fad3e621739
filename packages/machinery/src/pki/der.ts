/** Encodes ASN.1 in DER (X.690): the types that certificates need. */

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return element(0x31, Buffer.concat(parts));
}

export const none = Buffer.from([0x05, 0x00]);

export function bool(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0x00]));
}

/** A non-negative integer, most significant byte first. */
export function unsignedInteger(magnitude: Uint8Array): Buffer {
  const first = magnitude.findIndex((byte) => byte !== 0);
  const shortest = first === -1 ? Buffer.from([0]) : magnitude.subarray(first);
  const padding = (shortest[0] as number) > 0x7f ? [0] : [];
  return element(0x02, Buffer.concat([Buffer.from(padding), shortest]));
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

export function octetString(bytes: Uint8Array): Buffer {
  return element(0x04, bytes);
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text, 'utf8'));
}

/** Dotted notation: `2.5.4.3`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** UTCTime until 2049, then GeneralizedTime (RFC 5280). */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/[-:T]|\..*/g, '')}Z`;
  return date.getUTCFullYear() < 2050 ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits));
}

/** `[number] EXPLICIT` around whole elements. */
export function explicit(number: number, ...parts: readonly Uint8Array[]): Buffer {
  return element(0xa0 | number, Buffer.concat(parts));
}

/** `[number] IMPLICIT` for a primitive type: the content without the type's own tag. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return element(0x80 | number, content);
}

function element(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag, ...length(content.length)]), content]);
}

function length(count: number): number[] {
  if (count < 0x80) return [count];
  const bytes: number[] = [];
  for (let rest = count; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}
