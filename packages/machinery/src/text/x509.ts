const sequenceTag = 0x30;
const setTag = 0x31;
const oidTag = 0x06;

/** Attribute types by the DER of their object identifiers. */
export const nameAttributes = { commonName: '550403', organization: '55040a' } as const;

export interface NameAttribute {
  /** The content of the object identifier in hex. */
  readonly type: string;
  readonly value: DerElement;
}

/** The attributes of an X.501 name in order. Fails with MalformedDer. */
export function readDistinguishedName(name: DerElement | undefined): readonly NameAttribute[] {
  return insideDer(name, sequenceTag).flatMap((relative) => insideDer(relative, setTag).map(readAttribute));
}

function readAttribute(element: DerElement): NameAttribute {
  const [type, value] = insideDer(element, sequenceTag);
  if (type?.tag !== oidTag || value === undefined) throw new MalformedDer('an attribute has a type and a value');
  return { type: type.content.toString('hex'), value };
}

/** Undefined if one of the values cannot be decoded: half an identity is none. */
export function nameValues(attributes: readonly NameAttribute[], type: string): string[] | undefined {
  const values = attributes.filter((each) => each.type === type).map(({ value }) => textOf(value));
  return values.every((value) => value !== undefined) ? values : undefined;
}

const decoders: Readonly<Record<number, (content: Buffer) => string | undefined>> = {
  12: utf8,
  18: (content) => matching(content, /^[0-9 ]*$/),
  // Go allows * and & beyond the standard's set, for certificates in the wild.
  19: (content) => matching(content, /^[A-Za-z0-9 '()+,\-./:=?*&]*$/),
  20: (content) => content.toString('latin1'),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: IA5 is ASCII with its control characters
  22: (content) => matching(content, /^[\x00-\x7f]*$/),
  30: bmp,
};

function textOf({ tag, content }: DerElement): string | undefined {
  return decoders[tag]?.(content);
}

function utf8(content: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

function matching(content: Buffer, form: RegExp): string | undefined {
  const text = content.toString('latin1');
  return form.test(text) ? text : undefined;
}

function bmp(content: Buffer): string | undefined {
  return content.length % 2 === 0 ? Buffer.from(content).swap16().toString('utf16le') : undefined;
}

/** An element of a DER document; its content may hold further elements. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** The whole element, tag and length included. */
  readonly bytes: Buffer;
}

/** Something is not the DER it should be. */
export class MalformedDer extends Error {
  override readonly name = 'MalformedDer';
}

/** The elements that stand one after the other in some bytes. */
export function derElements(bytes: Buffer): DerElement[] {
  const found: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { start, length } = header(bytes, at);
    const end = start + length;
    if (end > bytes.length) throw new MalformedDer('an element is longer than what holds it');
    found.push({ tag: bytes[at] as number, content: bytes.subarray(start, end), bytes: bytes.subarray(at, end) });
    at = end;
  }
  return found;
}

/** The elements inside a constructed one, which must have the tag. */
export function insideDer(element: DerElement | undefined, tag: number): DerElement[] {
  if (element?.tag !== tag) throw new MalformedDer(`expected tag ${tag}, found ${element?.tag}`);
  return derElements(element.content);
}

function header(bytes: Buffer, at: number): { start: number; length: number } {
  const first = bytes[at + 1];
  if (first === undefined || (first > 0x7f && at + 2 + (first & 0x7f) > bytes.length)) throw new MalformedDer('truncated');
  if (first <= 0x7f) return { start: at + 2, length: first };
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw new MalformedDer('unsupported length');
  return { start: at + 2 + count, length: bytes.readUIntBE(at + 2, count) };
}

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

/** PEM blocks of certificates in a text, without the text around them. Content is not decoded; it has no dash in it. */
export function certificateBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let start = text.indexOf(begin);
  while (start >= 0) {
    const content = start + begin.length;
    const close = text.indexOf('-', content);
    const isBlock = close > content && text.startsWith(end, close);
    const next = isBlock ? close + end.length : content;
    if (isBlock) blocks.push(text.slice(start, next));
    start = text.indexOf(begin, next);
  }
  return blocks;
}
