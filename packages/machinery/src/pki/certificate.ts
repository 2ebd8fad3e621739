import { createHash, type KeyObject, randomBytes, sign, type X509Certificate } from 'node:crypto';
import { type DerElement, derElements, insideDer } from '../text/x509.ts';
import * as der from './der.ts';

/** Content of a certificate. */
export interface CertificateRequest {
  /** A distinguished name in DER form. */
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly use: Use;
}

export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export type Use =
  | { readonly for: 'authority' }
  | { readonly for: 'client' }
  | { readonly for: 'server'; readonly hosts: readonly string[] }
  | LeafUse;

/** A certificate whose usages its requestor chooses. */
export interface LeafUse {
  readonly for: 'leaf';
  /** Bits of the extension KeyUsage (RFC 5280, section 4.2.1.3). */
  readonly keyUsages: readonly number[];
  /** Object identifiers in dotted notation. */
  readonly extendedKeyUsages: readonly string[];
  /** General names in DER form. */
  readonly alternativeNames: readonly Buffer[];
}

/** Issuer with an EC or RSA key. */
export interface Issuer {
  readonly subject: Buffer;
  readonly keyIdentifier: Buffer | undefined;
  readonly key: KeyObject;
}

const ids = {
  commonName: der.oid('2.5.4.3'),
  organization: der.oid('2.5.4.10'),
  ecdsaWithSha256: der.oid('1.2.840.10045.4.3.2'),
  rsaWithSha256: der.oid('1.2.840.113549.1.1.11'),
  subjectKeyId: der.oid('2.5.29.14'),
  keyUsage: der.oid('2.5.29.15'),
  subjectAltName: der.oid('2.5.29.17'),
  basicConstraints: der.oid('2.5.29.19'),
  authorityKeyId: der.oid('2.5.29.35'),
  extendedKeyUsage: der.oid('2.5.29.37'),
  serverAuth: der.oid('1.3.6.1.5.5.7.3.1'),
  clientAuth: der.oid('1.3.6.1.5.5.7.3.2'),
};

const version3 = der.explicit(0, der.unsignedInteger(Buffer.from([2])));
const ecdsa = der.sequence(ids.ecdsaWithSha256);
const rsa = der.sequence(ids.rsaWithSha256, der.none);

/** A signed X.509 certificate in PEM form. */
export function issueCertificate(request: CertificateRequest, issuer: Issuer): string {
  const algorithm = issuer.key.asymmetricKeyType === 'rsa' ? rsa : ecdsa;
  const body = der.sequence(
    version3,
    der.unsignedInteger(serialNumber()),
    algorithm,
    issuer.subject,
    der.sequence(der.time(request.notBefore), der.time(request.notAfter)),
    request.subject,
    publicKeyInfo(request.publicKey),
    der.explicit(3, der.sequence(...extensions(request, issuer))),
  );
  return pem('CERTIFICATE', der.sequence(body, algorithm, der.bitString(sign('sha256', body, issuer.key))));
}

export function distinguishedName({ commonName, organizations = [] }: CertificateSubject): Buffer {
  const groups = organizations.map((value) => attribute(ids.organization, value));
  return der.sequence(...groups, attribute(ids.commonName, commonName));
}

/** The subject key identifier is a digest of the key, so that it survives renewal. */
export function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha256').update(publicKeyInfo(key)).digest().subarray(0, 20);
}

/** Distinguishes addresses from names. Cheaper than net.isIP, whose IPv6 pattern takes milliseconds to compile. */
export function isAddress(host: string): boolean {
  return host.includes(':') || /^[\d.]+$/.test(host);
}

/** Positive and at most 20 bytes (RFC 5280). */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes;
}

function attribute(type: Buffer, value: string): Buffer {
  return der.set(der.sequence(type, der.utf8String(value)));
}

function publicKeyInfo(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

/** As Go, a leaf by request has no subject key identifier. */
function extensions({ use, publicKey }: CertificateRequest, issuer: Issuer): Buffer[] {
  const isLeaf = use.for === 'leaf';
  const names = isLeaf ? use.alternativeNames : [];
  return [
    ...usage(use),
    ...(isLeaf ? [] : [extension(ids.subjectKeyId, der.octetString(keyIdentifier(publicKey)))]),
    ...(issuer.keyIdentifier ? [extension(ids.authorityKeyId, der.sequence(der.implicit(0, issuer.keyIdentifier)))] : []),
    ...(names.length > 0 ? [extension(ids.subjectAltName, der.sequence(...names))] : []),
  ];
}

function usage(use: Use): Buffer[] {
  switch (use.for) {
    case 'authority':
      return [
        critical(ids.basicConstraints, der.sequence(der.bool(true))),
        // digitalSignature, keyCertSign
        critical(ids.keyUsage, der.bitString(Buffer.from([0b1000_0100]), 2)),
      ];
    case 'client':
      return [...leafUsage(), extension(ids.extendedKeyUsage, der.sequence(ids.clientAuth))];
    case 'server':
      return [
        ...leafUsage(),
        extension(ids.extendedKeyUsage, der.sequence(ids.serverAuth)),
        extension(ids.subjectAltName, der.sequence(...use.hosts.map(generalName))),
      ];
    case 'leaf':
      return requestedUsage(use);
  }
}

/** In the order of Go, the alternative names behind the key identifier of the issuer. */
function requestedUsage({ keyUsages, extendedKeyUsages }: LeafUse): Buffer[] {
  return [
    ...(keyUsages.length > 0 ? [critical(ids.keyUsage, namedBits(keyUsages))] : []),
    ...(extendedKeyUsages.length > 0 ? [extension(ids.extendedKeyUsage, der.sequence(...extendedKeyUsages.map(der.oid)))] : []),
    critical(ids.basicConstraints, der.sequence()),
  ];
}

/** A BIT STRING without trailing zero bits. */
function namedBits(bits: readonly number[]): Buffer {
  const last = Math.max(...bits);
  const bytes = Buffer.alloc((last >> 3) + 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] as number) | (0x80 >> (bit & 7));
  return der.bitString(bytes, 7 - (last & 7));
}

function leafUsage(): Buffer[] {
  return [
    critical(ids.basicConstraints, der.sequence()),
    // digitalSignature
    critical(ids.keyUsage, der.bitString(Buffer.from([0b1000_0000]), 7)),
  ];
}

function generalName(host: string): Buffer {
  return isAddress(host) ? der.implicit(7, addressBytes(host)) : der.implicit(2, Buffer.from(host, 'ascii'));
}

function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  // The URL parser normalizes IPv6 addresses.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeroes = Array(8 - before.length - after.length).fill('0');
  return Buffer.concat([...before, ...zeroes, ...after].map((group) => Buffer.from(group.padStart(4, '0'), 'hex')));
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

function extension(id: Buffer, content: Buffer): Buffer {
  return der.sequence(id, der.octetString(content));
}

function critical(id: Buffer, content: Buffer): Buffer {
  return der.sequence(id, der.bool(true), der.octetString(content));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

const day = 24 * 3_600_000;

export const authorityLifetime = 3653 * day;
export const leafLifetime = 365 * day;

/** Allows for clocks that are behind. */
const skew = 5 * 60_000;

export function validity(now: Date, lifetime: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now.getTime() - skew), notAfter: new Date(now.getTime() + lifetime) };
}

/** Renewal is due after two thirds of the lifetime, so that a CA outlives the certificates it issues. */
export function isDue(certificate: X509Certificate, now: Date): boolean {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  return now.getTime() < from || now.getTime() > to - (to - from) / 3;
}

const sequenceTag = 0x30;
const octetStringTag = 0x04;
const versionTag = 0xa0;
const extensionsTag = 0xa3;
const subjectKeyIdentifier = '551d0e';

interface CertificateFields {
  readonly subject: DerElement;
  readonly keyIdentifier: Buffer | undefined;
}

/** Parts of a certificate that node:crypto does not expose exactly. Throws MalformedDer. */
export function readCertificate(der: Buffer): CertificateFields {
  const fields = insideDer(insideDer(derElements(der)[0], sequenceTag)[0], sequenceTag);
  // version?, serial, signature, issuer, validity, subject
  const subject = fields[fields[0]?.tag === versionTag ? 5 : 4] as DerElement;
  return { subject, keyIdentifier: subjectKeyIdentifierOf(fields.find(({ tag }) => tag === extensionsTag)) };
}

function subjectKeyIdentifierOf(extensions: DerElement | undefined): Buffer | undefined {
  if (extensions === undefined) return undefined;
  const all = insideDer(insideDer(extensions, extensionsTag)[0], sequenceTag).map((extension) =>
    insideDer(extension, sequenceTag),
  );
  const found = all.find(([id]) => id?.content.toString('hex') === subjectKeyIdentifier)?.at(-1);
  return found && insideDer(found, octetStringTag)[0]?.content;
}
