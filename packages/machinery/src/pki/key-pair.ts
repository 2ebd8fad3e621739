import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { promisify } from 'node:util';

/** A certificate and its private key in PEM form. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Parsed keys besides their PEM: parsing a key takes longer than generating one on P-256. */
export interface NewKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly pem: string;
}

export type KeyAlgorithm = 'rsa' | 'ecdsa';

/** Generating a P-256 key takes 0.2 ms. */
export function newKey(): NewKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, publicKey, pem: pemOf(privateKey) };
}

/** RSA 2048, generated in the thread pool: 100 ms on average, up to 500 ms. */
export async function newRsaKey(): Promise<NewKey> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { privateKey, publicKey, pem: pemOf(privateKey) };
}

let shared: Promise<NewKey> | undefined;

/** Shared by all servers of this process without a cert dir, because their clients are short-lived. */
export function sharedRsaKey(): Promise<NewKey> {
  shared ??= newRsaKey().catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  return shared;
}

export function keyAlgorithmOf(key: KeyObject): KeyAlgorithm | undefined {
  if (key.asymmetricKeyType === 'ec') return 'ecdsa';
  return key.asymmetricKeyType === 'rsa' ? 'rsa' : undefined;
}

/** PEM. */
export function publicKeyOf(key: string | KeyObject): string {
  return createPublicKey(key as string)
    .export({ format: 'pem', type: 'spki' })
    .toString();
}

/** The parsed certificate. Undefined if it is unreadable or does not match the key. */
export function certificateOf(pair: KeyPair): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(pair.certificate);
    return belongs(pair.key, certificate) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A P-256 key ends with its public point, which the certificate contains too. Comparing these bytes avoids parsing the key, the
 * most expensive step of a start.
 */
function belongs(key: string, certificate: X509Certificate): boolean {
  const point = Buffer.from(key.replace(/-----[^-]+-----|\s/g, ''), 'base64').subarray(-65);
  return (point[0] === 4 && certificate.raw.includes(point)) || certificate.checkPrivateKey(createPrivateKey(key));
}

function pemOf(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}
