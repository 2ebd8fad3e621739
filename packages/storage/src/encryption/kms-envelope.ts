import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { aesGcm, extendedNonceGcm } from './ciphers.ts';
import { cacheKeyOf, readEncryptedObject } from './kms-encrypted-object.ts';
import { DekSourceType, type EncryptedObject, encodeEncryptedObject } from './kms-messages.ts';
import type { KmsPlugin } from './kms-plugin.ts';
import type { WriteKey } from './kms-probe.ts';
import type { Opened, Transformer } from './transformer.ts';

/** A server creates one DEK source at start and one whenever the key of the plugin changes. */
const MAX_SOURCES = 10_000;
/** Minimum time between two attempts to decrypt a source. */
const RETRY_MS = 1_000;

export interface EnvelopeObserver {
  /** A DEK source was not cached and is decrypted by the plugin. */
  cacheMiss(): void;
  cacheSize(entries: number): void;
  keyUsed(type: 'from_storage' | 'to_storage', keyId: string): void;
}

interface EnvelopeOptions {
  readonly plugin: KmsPlugin;
  /** The key for writes. Throws while there is none. */
  readonly writeKey: () => WriteKey;
  /** Throws if the key has expired for writes. */
  readonly checkWritable: (key: WriteKey) => void;
  readonly clock: Clock;
  readonly observe?: EnvelopeObserver | undefined;
}

/**
 * KMS v2 envelope encryption. Each value is stored with its DEK source, which only the plugin can decrypt. Decrypted keys are
 * cached, so the plugin is called once per key, not once per value.
 */
export class EnvelopeTransformer implements Transformer {
  readonly #options: EnvelopeOptions;
  /** Decrypted DEK sources by cache key, oldest first. */
  readonly #opened = new Map<string, Transformer>();
  readonly #fetching = new Map<string, Promise<void>>();
  /** Failed decryptions by cache key: the error and the time. */
  readonly #failures = new Map<string, { readonly error: Error; readonly at: number }>();

  constructor(options: EnvelopeOptions) {
    this.#options = options;
  }

  seal(value: Uint8Array, context: Buffer): Uint8Array {
    const key = this.#options.writeKey();
    this.#options.checkWritable(key);
    this.#cache(key.cacheKey, key.transformer);
    const encryptedData = key.transformer.seal(value, context);
    this.#options.observe?.keyUsed('to_storage', key.source.keyId);
    return encodeEncryptedObject({ ...key.source, encryptedData });
  }

  open(data: Uint8Array, context: Buffer): Opened {
    const object = readEncryptedObject(data);
    const { source } = this.#options.writeKey();
    const cacheKey = cacheKeyOf(object);
    const transformer = this.#opened.get(cacheKey);
    if (!transformer) throw this.#failures.get(cacheKey)?.error ?? new Error('the DEK of the value is not in memory');
    this.#options.observe?.keyUsed('from_storage', object.keyId);
    const { value } = transformer.open(object.encryptedData, context);
    return { value, stale: object.keyId !== source.keyId || object.dekSourceType !== source.dekSourceType };
  }

  prepare(data: Uint8Array): Promise<void> | undefined {
    let object: EncryptedObject;
    try {
      object = readEncryptedObject(data);
      this.#options.writeKey();
    } catch {
      return undefined;
    }
    const cacheKey = cacheKeyOf(object);
    if (this.#opened.has(cacheKey) || this.#hasJustFailed(cacheKey)) return undefined;
    const fetching = this.#fetching.get(cacheKey) ?? this.#fetch(cacheKey, object).finally(() => this.#fetching.delete(cacheKey));
    this.#fetching.set(cacheKey, fetching);
    return fetching;
  }

  async #fetch(cacheKey: string, { encryptedDekSource, keyId, annotations, dekSourceType }: EncryptedObject): Promise<void> {
    this.#options.observe?.cacheMiss();
    try {
      const request = { ciphertext: encryptedDekSource, uid: randomUUID(), keyId, annotations };
      this.#cache(cacheKey, transformerOf(dekSourceType, await this.#options.plugin.decrypt(request)));
    } catch (cause) {
      trim(this.#failures);
      const error = new Error(`failed to decrypt DEK, error: ${(cause as Error).message}`, { cause });
      this.#failures.set(cacheKey, { error, at: this.#options.clock.now() });
    }
  }

  #hasJustFailed(cacheKey: string): boolean {
    const failed = this.#failures.get(cacheKey);
    return failed !== undefined && this.#options.clock.now() - failed.at < RETRY_MS;
  }

  #cache(cacheKey: string, transformer: Transformer): void {
    if (this.#opened.has(cacheKey)) return;
    trim(this.#opened);
    this.#opened.set(cacheKey, transformer);
    this.#failures.delete(cacheKey);
    this.#options.observe?.cacheSize(this.#opened.size);
  }
}

/** Evicts the oldest entry if the map is full. */
function trim(map: Map<string, unknown>): void {
  if (map.size < MAX_SOURCES) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

function transformerOf(dekSourceType: number, key: Uint8Array): Transformer {
  if (dekSourceType === DekSourceType.hkdfSeed) return extendedNonceGcm(key);
  if (![16, 24, 32].includes(key.length)) throw new Error(`crypto/aes: invalid key size ${key.length}`);
  return aesGcm(key);
}
