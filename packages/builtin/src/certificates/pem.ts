import { X509Certificate } from 'node:crypto';

/** A block of a PEM document. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

const begin = '-----BEGIN ';
const end = '-----END ';
const dashes = '-----';

/** The PEM blocks of a text; other text is skipped. Linear in the length of the text. */
export function* pemBlocks(text: string): Generator<PemBlock> {
  let closing = -1;
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at + begin.length)) {
    if (closing < at) closing = text.indexOf(end, at);
    if (closing < 0) return;
    const block = blockBetween(text, at, closing);
    if (block) yield block;
  }
}

function blockBetween(text: string, from: number, to: number): PemBlock | undefined {
  const lineEnd = text.indexOf('\n', from);
  if (lineEnd < 0 || lineEnd > to) return undefined;
  const head = text.slice(from + begin.length, lineEnd).trimEnd();
  const type = head.slice(0, -dashes.length);
  if (!head.endsWith(dashes) || !text.startsWith(`${type}${dashes}`, to + end.length)) return undefined;
  return decoded(type, text.slice(lineEnd + 1, to));
}

function decoded(type: string, content: string): PemBlock | undefined {
  const lines = content.split('\n');
  const headers = lines.findIndex((line) => !line.includes(':'));
  const base64 = lines.slice(Math.max(headers, 0)).join('').replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) return undefined;
  return { type, hasHeaders: headers !== 0, der: Buffer.from(base64, 'base64') };
}

/** The error of status.certificate; undefined if it is valid. */
export function issuedCertificateProblem(base64: string): string | undefined {
  if (base64 === '') return undefined;
  let count = 0;
  for (const { type, hasHeaders, der } of pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))) {
    count++;
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (!isCertificate(der)) return 'x509: malformed certificate';
  }
  return count === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0;
  } catch {
    return false;
  }
}
