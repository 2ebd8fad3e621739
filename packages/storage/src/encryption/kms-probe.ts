import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { extendedNonceGcm, MIN_SEED_BYTES } from './ciphers.ts';
import { cacheKeyOf, checkDekSource, type DekSource, hashIfNotEmpty, keyIdProblem } from './kms-encrypted-object.ts';
import { DekSourceType, type StatusResponse } from './kms-messages.ts';
import type { KmsPlugin } from './kms-plugin.ts';
import type { Transformer } from './transformer.ts';

/** Poll intervals of kube-apiserver: one minute, and ten seconds while the plugin fails. */
const POLL_MS = 60_000;
const POLL_FAILING_MS = 10_000;
/** A write key is no longer used if its key ID was not confirmed for this long. */
const WRITE_KEY_TTL_MS = 180_000;
/** How long the result of a check is cached. */
const HEALTHY_TTL_MS = 20_000;
const FAILED_TTL_MS = 3_000;

const API_VERSIONS = ['v2', 'v2beta1'];

export interface ProbeObserver {
  statusKeyId(keyId: string): void;
  invalidKeyId(code: string): void;
}

interface ProbeOptions {
  readonly name: string;
  readonly plugin: KmsPlugin;
  readonly clock: Clock;
  readonly observe?: ProbeObserver | undefined;
  readonly onFailure: (error: Error) => void;
}

/**
 * Polls the status of a plugin, also for health checks, and creates a new write key when the key ID changes. While the plugin
 * fails, the last write key stays in use until it expires.
 */
export class KmsProbe {
  readonly #options: ProbeOptions;
  #writeKey: WriteKey | undefined;
  #version = '';
  #last: { readonly at: number; readonly ttl: number; readonly error: Error | undefined } | undefined;
  #checking: Promise<void> | undefined;
  #cancelPoll = () => {};
  #stopped = false;

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  /** Checks once and starts polling. Never rejects: a plugin may start after the server. */
  async start(): Promise<void> {
    const failed = await this.#poll();
    if (!this.#stopped) this.#pollLater(failed);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelPoll();
  }

  /** Throws until the plugin has encrypted the first seed. */
  readonly writeKey = (): WriteKey => {
    if (!this.#writeKey) throw new Error('got unexpected nil transformer');
    return this.#writeKey;
  };

  readonly checkWritable = ({ source, expires }: WriteKey): void => {
    const now = this.#options.clock.now();
    if (now > expires)
      throw new Error(
        `encryptedDEKSource with keyID hash "${hashIfNotEmpty(source.keyId)}" expired at ${rfc3339(expires)} (current time is ${rfc3339(now)})`,
      );
  };

  /** Rejects if the plugin is not healthy. */
  check(): Promise<void> {
    const last = this.#last;
    if (last && this.#options.clock.now() - last.at < last.ttl)
      return last.error ? Promise.reject(last.error) : Promise.resolve();
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<void> {
    const { name, plugin, clock } = this.#options;
    let response: StatusResponse;
    try {
      response = await plugin.status();
    } catch (cause) {
      this.#last = { at: clock.now(), ttl: FAILED_TTL_MS, error: cause as Error };
      const reason = (cause as Error).message;
      throw new Error(`failed to perform status section of the healthz check for KMS Provider ${name}, error: ${reason}`, {
        cause,
      });
    }
    const error = await this.#problem(response);
    this.#last = { at: clock.now(), ttl: error ? FAILED_TTL_MS : HEALTHY_TTL_MS, error };
    if (error) throw error;
  }

  async #problem({ healthz, version, keyId }: StatusResponse): Promise<Error | undefined> {
    const { name, observe } = this.#options;
    const problems: string[] = [];
    if (healthz !== 'ok') problems.push(`got unexpected healthz status: ${healthz}`);
    problems.push(...this.#versionProblem(version));
    const invalid = keyIdProblem(keyId);
    if (invalid) {
      observe?.invalidKeyId(invalid.code);
      problems.push(`got invalid KMSv2 KeyID hash "${hashIfNotEmpty(keyId)}": ${invalid.message}`);
    } else {
      observe?.statusKeyId(keyId);
      problems.push(...(await this.#renew(keyId)));
    }
    if (problems.length === 0) return undefined;
    const reasons = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
    return new Error(`kmsv2 Provider ${name} is not healthy, error: ${reasons}`);
  }

  #versionProblem(version: string): string[] {
    if (!API_VERSIONS.includes(version)) return [`expected KMSv2 API version v2, got ${version}`];
    this.#version ||= version;
    if (this.#version === version) return [];
    return [`KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`];
  }

  /** Extends the expiry of the write key if the key ID is unchanged, else creates a new one. Returns the problems. */
  async #renew(keyId: string): Promise<string[]> {
    const { plugin, clock } = this.#options;
    const expires = clock.now() + WRITE_KEY_TTL_MS;
    const current = this.#writeKey;
    if (current?.source.keyId === keyId) {
      this.#writeKey = { ...current, expires };
      return [];
    }
    const uid = randomUUID();
    try {
      const made = await generateWriteKey(plugin, uid, expires);
      if (made.source.keyId === keyId) this.#writeKey = made;
      return made.source.keyId === keyId ? [] : [rotationProblem(uid, keyId, made.source.keyId, current, undefined)];
    } catch (error) {
      return [rotationProblem(uid, keyId, '', current, error as Error)];
    }
  }

  #pollLater(failed: boolean): void {
    this.#cancelPoll = this.#options.clock.after(failed ? POLL_FAILING_MS : POLL_MS, () => {
      // #poll does not reject.
      void this.#poll().then((failedAgain) => {
        if (!this.#stopped) this.#pollLater(failedAgain);
      });
    });
  }

  /** Resolves with whether the check failed. */
  async #poll(): Promise<boolean> {
    try {
      await this.check();
      return false;
    } catch (error) {
      if (!this.#stopped) this.#options.onFailure(error as Error);
      return true;
    }
  }
}

function rotationProblem(
  uid: string,
  statusKeyId: string,
  encryptKeyId: string,
  current: WriteKey | undefined,
  error: Error | undefined,
): string {
  const stateError = current ? '<nil>' : 'got unexpected nil transformer';
  const hashes = `statusKeyIDHash="${hashIfNotEmpty(statusKeyId)}", encryptKeyIDHash="${hashIfNotEmpty(encryptKeyId)}", stateKeyIDHash="${hashIfNotEmpty(current?.source.keyId ?? '')}"`;
  const expires = current ? rfc3339(current.expires) : '0001-01-01T00:00:00Z';
  return `failed to rotate DEK uid="${uid}", useSeed=true, errState=${stateError}, errGen=${error?.message ?? '<nil>'}, ${hashes}, expirationTimestamp=${expires}`;
}

function rfc3339(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The seed for new values, and the DEK source it is stored as. */
export interface WriteKey {
  readonly transformer: Transformer;
  readonly source: DekSource;
  readonly cacheKey: string;
  /** Milliseconds since 1970. Reads are not limited by it. */
  readonly expires: number;
}

/** Generates a seed and has the plugin encrypt it. Rejects if the plugin fails or its response is invalid. */
async function generateWriteKey(plugin: KmsPlugin, uid: string, expires: number): Promise<WriteKey> {
  const seed = randomBytes(MIN_SEED_BYTES);
  const transformer = extendedNonceGcm(seed);
  const { ciphertext, keyId, annotations } = await plugin.encrypt({ plaintext: seed, uid }).catch((cause: Error) => {
    throw new Error(`failed to encrypt DEK, error: ${cause.message}`, { cause });
  });
  const source = { keyId, encryptedDekSource: ciphertext, annotations, dekSourceType: DekSourceType.hkdfSeed };
  checkDekSource(source);
  return { transformer, source, cacheKey: cacheKeyOf(source), expires };
}
