import { type DerElement, insideDer, MalformedDer } from './reader.ts';

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
