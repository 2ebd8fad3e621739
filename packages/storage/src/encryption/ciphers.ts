import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Transformer } from './transformer.ts';

const GCM_NONCE_BYTES = 12;
const GCM_TAG_BYTES = 16;
const BLOCK_BYTES = 16;
const SHORT = 'the stored data was shorter than the required size';

/** Stored as nonce · ciphertext · tag; the context is authenticated. */
export function aesGcm(key: Uint8Array): Transformer {
  const secret = createSecretKey(key);
  return {
    seal: (value, context) => sealGcm(secret, randomBytes(GCM_NONCE_BYTES), value, context),
    open: (data, context) => ({ value: openGcm(secret, data, context), stale: false }),
  };
}

function sealGcm(key: KeyObject, nonce: Buffer, value: Uint8Array, context: Uint8Array): Buffer {
  const cipher = createCipheriv(gcmOf(key), key, nonce, { authTagLength: GCM_TAG_BYTES }).setAAD(context);
  return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
}

function openGcm(key: KeyObject, data: Uint8Array, context: Uint8Array): Buffer {
  if (data.length < GCM_NONCE_BYTES) throw new Error(SHORT);
  const nonce = data.subarray(0, GCM_NONCE_BYTES);
  const end = data.length - GCM_TAG_BYTES;
  if (end < GCM_NONCE_BYTES) throw new Error('cipher: message authentication failed');
  const decipher = createDecipheriv(gcmOf(key), key, nonce, { authTagLength: GCM_TAG_BYTES }).setAAD(context);
  decipher.setAuthTag(data.subarray(end));
  const value = decipher.update(data.subarray(GCM_NONCE_BYTES, end));
  try {
    decipher.final();
  } catch {
    throw new Error('cipher: message authentication failed');
  }
  return value;
}

function gcmOf(key: KeyObject): 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' {
  return `aes-${((key.symmetricKeySize as number) * 8) as 128 | 192 | 256}-gcm`;
}

/** Stored as IV · ciphertext with PKCS #7 padding. Not authenticated. */
export function aesCbc(key: Uint8Array): Transformer {
  const secret = createSecretKey(key);
  const algorithm = `aes-${key.length * 8}-cbc`;
  return {
    seal(value) {
      const iv = randomBytes(BLOCK_BYTES);
      const cipher = createCipheriv(algorithm, secret, iv);
      return Buffer.concat([iv, cipher.update(value), cipher.final()]);
    },
    open(data) {
      if (data.length < BLOCK_BYTES) throw new Error(SHORT);
      if (data.length % BLOCK_BYTES !== 0) throw new Error('the stored data is not a multiple of the block size');
      const decipher = createDecipheriv(algorithm, secret, data.subarray(0, BLOCK_BYTES)).setAutoPadding(false);
      const padded = Buffer.concat([decipher.update(data.subarray(BLOCK_BYTES)), decipher.final()]);
      return { value: unpadded(padded), stale: false };
    },
  };
}

function unpadded(padded: Buffer): Buffer {
  const padding = padded.at(-1) ?? 0;
  if (padding === 0 || padding > padded.length) throw new Error('invalid PKCS7 data (empty or not padded)');
  const end = padded.length - padding;
  for (let at = end; at < padded.length; at++) if (padded[at] !== padding) throw new Error('invalid padding on input');
  return padded.subarray(0, end);
}

const BOX_NONCE_BYTES = 24;
const BOX_TAG_BYTES = 16;

/** XSalsa20-Poly1305, stored as nonce · tag · ciphertext. The context is not authenticated. */
export async function secretbox(key: Uint8Array): Promise<Transformer> {
  const { xsalsa20poly1305 } = await import('@noble/ciphers/salsa');
  return {
    seal(value) {
      const nonce = randomBytes(BOX_NONCE_BYTES);
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(value)]);
    },
    open(data) {
      if (data.length < BOX_NONCE_BYTES + BOX_TAG_BYTES) throw new Error(SHORT);
      const box = xsalsa20poly1305(key, data.subarray(0, BOX_NONCE_BYTES));
      try {
        return { value: box.decrypt(data.subarray(BOX_NONCE_BYTES)), stale: false };
      } catch {
        // The message kube-apiserver gives for every box that cannot be opened.
        throw new Error('output array was not large enough for encryption');
      }
    },
  };
}

const INFO_BYTES = 32;
const NONCE_BYTES = 12;
export const MIN_SEED_BYTES = 32;

/**
 * AES-256-GCM with a separate key for every value, derived from a seed and 32 random bytes by HKDF-Expand with SHA-256. Stored
 * as info · nonce · ciphertext · tag. A seed can encrypt any number of values.
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

/** HKDF-Expand for 32 bytes, one block of SHA-256. No extract step is needed because the seed is uniformly random. */
function derivedKey(seed: KeyObject, info: Uint8Array): KeyObject {
  return createSecretKey(createHmac('sha256', seed).update(info).update(firstBlock).digest());
}
