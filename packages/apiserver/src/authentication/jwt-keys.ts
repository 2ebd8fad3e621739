import { constants, createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { JsonObject } from '@tsukube/machinery';
import { type CompactToken, compactParts } from './jwt.ts';

export interface VerificationKey {
  readonly id: string;
  readonly key: KeyObject;
}

export interface Signer {
  readonly id: string;
  /** Returns the signed token. */
  sign(claims: JsonObject): string;
}

/** Throws if the key type cannot sign tokens. */
export function signerOf(pem: string): Signer {
  const key = createPrivateKey(pem);
  const alg = jwtAlgorithmOf(key);
  if (!alg) throw new Error('a signing key must be an RSA key, or an EC key on P-256, P-384 or P-521');
  const id = keyIdOf(createPublicKey(key));
  const sign = (claims: JsonObject): string => {
    const signed = compactParts({ alg, kid: id }, claims);
    return `${signed}.${signWith(alg, key, signed).toString('base64url')}`;
  };
  return { id, sign };
}

// regex: reads files named by flags.
const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

/** Public keys in PEM: from public keys, private keys and certificates. Throws if there are none. */
export function verificationKeys(pem: string): readonly VerificationKey[] {
  const blocks = [...pem.matchAll(pemBlock)].filter(([, kind]) => kind !== 'EC PARAMETERS');
  const keys = blocks.map(([block]) => createPublicKey(block)).filter((key) => jwtAlgorithmOf(key) !== undefined);
  if (keys.length === 0) throw new Error('it contains no key for tokens');
  return keys.map((key) => ({ id: keyIdOf(key), key }));
}

/** go-jose's message for an invalid signature; undefined if one of the keys verifies it. */
export function signatureProblem(token: CompactToken, keys: readonly VerificationKey[]): string | undefined {
  const { alg } = token.header;
  let problem = 'go-jose/go-jose: unsupported key type/format';
  for (const { key } of keys) {
    const checked = checkSignature(alg, key, token.signed, token.signature);
    if (checked === 'valid') return undefined;
    if (checked === 'invalid') problem = 'go-jose/go-jose: error in cryptographic primitive';
  }
  return problem;
}

/** The key as a JWK. */
export function jwkOf({ id, key }: VerificationKey): JsonObject {
  const { kty = '', crv = '', x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const alg = jwtAlgorithmOf(key) ?? '';
  const head = { use: 'sig', kty, kid: id };
  return kty === 'EC' ? { ...head, crv, alg, x, y } : { ...head, alg, n, e };
}

/** An asymmetric signature algorithm. HMAC is not supported. */
interface Algorithm {
  readonly hash: string;
  readonly key: 'rsa' | 'ec';
  readonly curve?: string;
  readonly pss?: true;
}

const algorithms: Readonly<Record<string, Algorithm>> = {
  RS256: { hash: 'sha256', key: 'rsa' },
  RS384: { hash: 'sha384', key: 'rsa' },
  RS512: { hash: 'sha512', key: 'rsa' },
  PS256: { hash: 'sha256', key: 'rsa', pss: true },
  PS384: { hash: 'sha384', key: 'rsa', pss: true },
  PS512: { hash: 'sha512', key: 'rsa', pss: true },
  ES256: { hash: 'sha256', key: 'ec', curve: 'prime256v1' },
  ES384: { hash: 'sha384', key: 'ec', curve: 'secp384r1' },
  ES512: { hash: 'sha512', key: 'ec', curve: 'secp521r1' },
};

export const signingAlgorithms: readonly string[] = Object.keys(algorithms);

type SignatureCheck = 'valid' | 'invalid' | 'unsupported';

/** The key determines the algorithms; the token's `alg` only has to match. */
export function checkSignature(alg: unknown, key: KeyObject, signed: string, signature: Buffer): SignatureCheck {
  const algorithm = typeof alg === 'string' && Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined;
  if (!algorithm || !fits(algorithm, key)) return 'unsupported';
  try {
    return verify(algorithm.hash, Buffer.from(signed), options(algorithm, key), signature) ? 'valid' : 'invalid';
  } catch {
    return 'invalid';
  }
}

function signWith(alg: string, key: KeyObject, text: string): Buffer {
  const algorithm = algorithms[alg];
  if (!algorithm || !fits(algorithm, key)) throw new Error(`${alg} cannot be used with this key`);
  return sign(algorithm.hash, Buffer.from(text), options(algorithm, key));
}

function fits({ key: type, curve }: Algorithm, key: KeyObject): boolean {
  return key.asymmetricKeyType === type && (curve === undefined || key.asymmetricKeyDetails?.namedCurve === curve);
}

function options({ key: type, pss }: Algorithm, key: KeyObject) {
  if (type === 'ec') return { key, dsaEncoding: 'ieee-p1363' as const };
  if (!pss) return { key, padding: constants.RSA_PKCS1_PADDING };
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}

/** The algorithm Kubernetes signs with; undefined if the key cannot sign tokens. */
export function jwtAlgorithmOf(key: KeyObject): string | undefined {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  const curve = key.asymmetricKeyDetails?.namedCurve;
  return key.asymmetricKeyType === 'ec' ? signingAlgorithms.find((name) => algorithms[name]?.curve === curve) : undefined;
}

/** Kubernetes' key ID: a hash of the public key. */
function keyIdOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('base64url');
}
