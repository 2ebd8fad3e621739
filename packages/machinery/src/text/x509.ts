const sequenceTag = 0x30;
const setTag = 0x31;
const oidTag = 0x06;

/** Attribute types: the hex content of their object identifiers. */
export const nameAttributes = { commonName: '550403', organization: '55040a' } as const;

export interface NameAttribute {
  /** Hex content of the object identifier. */
  readonly type: string;
  readonly value: DerElement;
}

/** Reads the attributes of an X.501 name in order. Throws MalformedDer. */
export function readDistinguishedName(name: DerElement | undefined): readonly NameAttribute[] {
  return insideDer(name, sequenceTag).flatMap((relative) => insideDer(relative, setTag).map(readAttribute));
}

function readAttribute(element: DerElement): NameAttribute {
  const [type, value] = insideDer(element, sequenceTag);
  if (type?.tag !== oidTag || value === undefined) throw new MalformedDer('an attribute has a type and a value');
  return { type: type.content.toString('hex'), value };
}

/** Undefined if a value cannot be decoded: a partial identity must not be used. */
export function nameValues(attributes: readonly NameAttribute[], type: string): string[] | undefined {
  const values = attributes.filter((each) => each.type === type).map(({ value }) => textOf(value));
  return values.every((value) => value !== undefined) ? values : undefined;
}

const decoders: Readonly<Record<number, (content: Buffer) => string | undefined>> = {
  12: utf8,
  18: (content) => matching(content, /^[0-9 ]*$/),
  // Go accepts * and & beyond the standard's set, for existing certificates.
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

/** A DER element; its content may hold further elements. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** The whole element with tag and length. */
  readonly bytes: Buffer;
}

/** Malformed or unexpected DER. */
export class MalformedDer extends Error {
  override readonly name = 'MalformedDer';
}

/** Splits consecutive elements. */
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

/** The elements of a constructed element with the given tag. */
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

/** The PEM CERTIFICATE blocks of a text, not decoded. */
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
