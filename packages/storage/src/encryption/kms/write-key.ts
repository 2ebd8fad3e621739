import { randomBytes } from 'node:crypto';
import { extendedNonceGcm, MIN_SEED_BYTES } from '../extended-nonce.ts';
import type { Transformer } from '../transformer.ts';
import { cacheKeyOf, checkDekSource, type DekSource } from './encrypted-object.ts';
import { DekSourceType } from './messages.ts';
import type { KmsPlugin } from './plugin.ts';

/** The seed that values are encrypted with, and what the plugin made of it. */
export interface WriteKey {
  readonly transformer: Transformer;
  readonly source: DekSource;
  readonly cacheKey: string;
  /** Milliseconds since 1970. Reads never expire. */
  readonly expires: number;
}

/** Makes a seed and has the plugin encrypt it. Fails with the error of the plugin, or if its answer is not valid. */
export async function generateWriteKey(plugin: KmsPlugin, uid: string, expires: number): Promise<WriteKey> {
  const seed = randomBytes(MIN_SEED_BYTES);
  const transformer = extendedNonceGcm(seed);
  const { ciphertext, keyId, annotations } = await plugin.encrypt({ plaintext: seed, uid }).catch((cause: Error) => {
    throw new Error(`failed to encrypt DEK, error: ${cause.message}`, { cause });
  });
  const source = { keyId, encryptedDekSource: ciphertext, annotations, dekSourceType: DekSourceType.hkdfSeed };
  checkDekSource(source);
  return { transformer, source, cacheKey: cacheKeyOf(source), expires };
}
