import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import {
  type DerElement,
  derElements,
  insideDer,
  MalformedDer,
  nameAttributes,
  nameValues,
  readDistinguishedName,
} from '@tsukube/machinery';
import { pemBlocks } from './pem.ts';
import { type AlternativeNames, alternativeNames, certificateName } from './requested-names.ts';

const sequenceTag = 0x30;
const bitStringTag = 0x03;

interface Algorithm {
  readonly key: string;
  readonly hash: string | null;
  readonly pss?: true;
}

/** By the DER of the algorithm identifier. The hash of PSS is in the parameters. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  '2a864886f70d010105': { key: 'rsa', hash: 'sha1' },
  '2a864886f70d01010b': { key: 'rsa', hash: 'sha256' },
  '2a864886f70d01010c': { key: 'rsa', hash: 'sha384' },
  '2a864886f70d01010d': { key: 'rsa', hash: 'sha512' },
  '2a864886f70d01010a': { key: 'rsa', hash: 'sha256', pss: true },
  '2a8648ce3d0401': { key: 'ec', hash: 'sha1' },
  '2a8648ce3d040302': { key: 'ec', hash: 'sha256' },
  '2a8648ce3d040303': { key: 'ec', hash: 'sha384' },
  '2a8648ce3d040304': { key: 'ec', hash: 'sha512' },
  '2b6570': { key: 'ed25519', hash: null },
};

const failures: Readonly<Record<string, string>> = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
};

/** The error of a PKCS#10 request in PEM; undefined if it is well-formed and signed with its own key. */
export function signingRequestProblem(pem: string): string | undefined {
  const read = parsed(pem, signatureProblem);
  return typeof read === 'object' ? read.problem : read;
}

export interface RequestedSubject {
  /** The last common name; empty if there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** The subject of a PKCS#10 request in PEM, or the error. */
export function requestedSubject(pem: string): RequestedSubject | { readonly problem: string } {
  return parsed(pem, ({ subject }) => {
    const attributes = readDistinguishedName(subject);
    const names = nameValues(attributes, nameAttributes.commonName);
    const organizations = nameValues(attributes, nameAttributes.organization);
    if (!names || !organizations) throw new MalformedDer('a subject that is no text');
    return { commonName: names.at(-1) ?? '', organizations };
  });
}

export interface RequestedCertificate extends RequestedSubject {
  /** The distinguished name of the certificate, in DER form. */
  readonly name: Buffer;
  readonly alternativeNames: AlternativeNames;
  readonly publicKey: KeyObject;
}

/** The content of a PKCS#10 request in PEM, or the error. */
export function requestedCertificate(pem: string): RequestedCertificate | { readonly problem: string } {
  return parsed(pem, (request) => {
    const problem = signatureProblem(request);
    if (problem !== undefined) return { problem };
    const subject = requestedSubject(pem);
    if ('problem' in subject) return subject;
    const name = certificateName(readDistinguishedName(request.subject));
    const publicKey = keyOf(request.publicKey) as KeyObject;
    return { ...subject, name, alternativeNames: alternativeNames(request.attributes), publicKey };
  });
}

function parsed<Result>(pem: string, read: (request: SigningRequest) => Result): Result | { readonly problem: string } {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') return { problem: 'PEM block type must be CERTIFICATE REQUEST' };
  try {
    return read(readRequest(block.der));
  } catch (error) {
    if (error instanceof MalformedDer) return { problem: `asn1: structure error: ${error.message}` };
    throw error;
  }
}

interface SigningRequest {
  readonly signed: Buffer;
  readonly subject: DerElement | undefined;
  readonly publicKey: DerElement;
  readonly attributes: DerElement | undefined;
  readonly algorithm: DerElement;
  readonly signature: DerElement;
}

function readRequest(der: Buffer): SigningRequest {
  const [whole, ...trailing] = derElements(der);
  if (trailing.length > 0) throw new MalformedDer('trailing data');
  const [information, algorithm, signature] = insideDer(whole, sequenceTag);
  const [, subject, publicKey, attributes] = insideDer(information, sequenceTag);
  if (!information || !algorithm || !publicKey || signature?.tag !== bitStringTag) throw new MalformedDer('sequence too short');
  return { signed: information.bytes, subject, publicKey, attributes, algorithm, signature };
}

function signatureProblem({ signed, publicKey, algorithm, signature }: SigningRequest): string | undefined {
  const used = algorithms[insideDer(algorithm, sequenceTag)[0]?.content.toString('hex') ?? ''];
  const key = keyOf(publicKey);
  if (!key) return 'x509: unsupported public key';
  if (!used) return 'x509: cannot verify signature: algorithm unimplemented';
  if (key.asymmetricKeyType !== used.key) return 'x509: signature algorithm specifies a different public key type';
  // The first byte of a BIT STRING is the number of unused bits.
  const bytes = signature.content.subarray(1);
  return isSigned(signed, bytes, key, used) ? undefined : failures[used.key];
}

function isSigned(signed: Buffer, signature: Buffer, key: KeyObject, { hash, pss }: Algorithm): boolean {
  if (!pss) return verifies(hash, signed, key, signature);
  const padding = { key, padding: constants.RSA_PKCS1_PSS_PADDING };
  return ['sha256', 'sha384', 'sha512'].some((each) => verifies(each, signed, padding, signature));
}

type VerificationKey = KeyObject | { key: KeyObject; padding: number };

function verifies(hash: string | null, signed: Buffer, key: VerificationKey, signature: Buffer): boolean {
  try {
    return verify(hash, signed, key, signature);
  } catch {
    return false;
  }
}

function keyOf({ bytes }: DerElement): KeyObject | undefined {
  try {
    return createPublicKey({ key: bytes, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
