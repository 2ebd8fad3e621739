import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { openGcm, sealGcm } from './ciphers.ts';
import type { Transformer } from './transformer.ts';

const INFO_BYTES = 32;
const NONCE_BYTES = 12;
export const MIN_SEED_BYTES = 32;

/**
 * AES-256-GCM with a key of its own for every value, derived from a seed and 32 random bytes by HKDF-Expand with SHA-256.
 * Stored as info · nonce · ciphertext · tag. A seed can be used for any number of values.
 */
export function extendedNonceGcm(seed: Uint8Array): Transformer {
  if (seed.length < MIN_SEED_BYTES) throw new Error(`invalid seed length ${seed.length} used for key generation`);
  const secret = createSecretKey(seed);
  return {
    seal(value, context) {
      const info = randomBytes(INFO_BYTES);
      return Buffer.concat([info, sealGcm(derivedKey(secret, info), randomBytes(NONCE_BYTES), value, context)]);
    },
    open(data, context) {
      if (data.length < INFO_BYTES) throw new Error('the stored data was shorter than the required size');
      const key = derivedKey(secret, data.subarray(0, INFO_BYTES));
      return { value: openGcm(key, data.subarray(INFO_BYTES), context), stale: false };
    },
  };
}

const firstBlock = Uint8Array.of(1);

/** HKDF-Expand for 32 bytes, which is one block of SHA-256. There is no extraction: the seed is uniformly random. */
function derivedKey(seed: KeyObject, info: Uint8Array): KeyObject {
  return createSecretKey(createHmac('sha256', seed).update(info).update(firstBlock).digest());
}
