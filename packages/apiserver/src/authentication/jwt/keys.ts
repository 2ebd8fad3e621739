import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JsonObject } from '@tsukube/machinery';
import { algorithmOf, checkSignature, keyIdOf, signWith } from './algorithms.ts';
import { type CompactToken, compactParts } from './compact.ts';

export interface VerificationKey {
  readonly id: string;
  readonly key: KeyObject;
}

export interface Signer {
  readonly id: string;
  /** The claims as a token. */
  sign(claims: JsonObject): string;
}

/** Fails if the key is not one that tokens are signed with. */
export function signerOf(pem: string): Signer {
  const key = createPrivateKey(pem);
  const alg = algorithmOf(key);
  if (!alg) throw new Error('a signing key is an RSA key, or an EC key on P-256, P-384 or P-521');
  const id = keyIdOf(createPublicKey(key));
  const sign = (claims: JsonObject): string => {
    const signed = compactParts({ alg, kid: id }, claims);
    return `${signed}.${signWith(alg, key, signed).toString('base64url')}`;
  };
  return { id, sign };
}

// regex: reads files named by flags.
const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

/** The public keys in a PEM text: of public keys, private keys and certificates. Fails if there are none. */
export function verificationKeys(pem: string): readonly VerificationKey[] {
  const blocks = [...pem.matchAll(pemBlock)].filter(([, kind]) => kind !== 'EC PARAMETERS');
  const keys = blocks.map(([block]) => createPublicKey(block)).filter((key) => algorithmOf(key) !== undefined);
  if (keys.length === 0) throw new Error('there is no key for tokens in it');
  return keys.map((key) => ({ id: keyIdOf(key), key }));
}

/** What is wrong with a signature, in go-jose's words; undefined if one of the keys has made it. */
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

/** A key as others read it. */
export function jwkOf({ id, key }: VerificationKey): JsonObject {
  const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' }) as Record<string, string>;
  const alg = algorithmOf(key) as string;
  const head = { use: 'sig', kty: kty as string, kid: id };
  return (kty === 'EC' ? { ...head, crv, alg, x, y } : { ...head, alg, n, e }) as JsonObject;
}
