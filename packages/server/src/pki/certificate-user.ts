import { createHash } from 'node:crypto';
import { type Refused, refused } from '@tsukube/apiserver';
import { type DerElement, insideDer, MalformedDer } from '@tsukube/machinery';
import { readCertificate } from './certificate-reader.ts';

export interface CertificateUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const sequenceTag = 0x30;
const setTag = 0x31;
const oidTag = 0x06;

const commonName = '550403';
const organization = '55040a';
/** 1.3.6.1.4.1.57683.2, which Kubernetes has for it. */
const userId = '2b0601040183c25302';

/**
 * Who a client certificate speaks for, as Kubernetes reads it: the last common name, and a group for each organization
 * of the subject, in order. Read from the DER itself, because every textual form of a subject can be forged by
 * characters that it does not escape. Undefined if there is no common name, or one that cannot be read.
 */
export function userFromCertificate(der: Buffer): CertificateUser | Refused | undefined {
  const attributes = subjectAttributes(der);
  const names = valuesOf(attributes, commonName);
  const groups = valuesOf(attributes, organization);
  const uids = valuesOf(attributes, userId);
  const name = names?.at(-1);
  if (!name || groups === undefined) return undefined;
  if (uids === undefined) return refused('unable to parse UID into a string');
  if (uids.length > 1) return refused(`expected 1 UID, but found multiple: [${uids.join(' ')}]`);
  if (uids[0] === '') return refused('UID cannot be an empty string');
  return {
    name,
    ...(uids[0] !== undefined && { uid: uids[0] }),
    groups,
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${sha256(der)}`] },
  };
}

/** The last common name, as Go gives it; undefined if it cannot be read. */
export function commonNameOf(der: Buffer): string | undefined {
  return valuesOf(subjectAttributes(der), commonName)?.at(-1);
}

interface Attribute {
  readonly type: string;
  readonly value: DerElement;
}

function subjectAttributes(der: Buffer): Attribute[] {
  try {
    return insideDer(readCertificate(der).subject, sequenceTag).flatMap((relative) => insideDer(relative, setTag).map(attribute));
  } catch (error) {
    if (error instanceof MalformedDer) return [];
    throw error;
  }
}

function attribute(element: DerElement): Attribute {
  const [type, value] = insideDer(element, sequenceTag);
  if (type?.tag !== oidTag || value === undefined) throw new MalformedDer('an attribute has a type and a value');
  return { type: type.content.toString('hex'), value };
}

/** Undefined if one of the values cannot be read: half an identity is none. */
function valuesOf(attributes: readonly Attribute[], type: string): string[] | undefined {
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

function sha256(der: Buffer): string {
  return createHash('sha256').update(der).digest('hex');
}
