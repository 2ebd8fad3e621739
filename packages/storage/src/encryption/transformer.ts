/** A decrypted value. */
export interface Opened {
  readonly value: Uint8Array;
  /**
   * The value would be stored differently if written now: with another key or provider. An update that changes nothing is then
   * written nevertheless.
   */
  readonly stale: boolean;
}

/** Encrypts values before they are stored and decrypts them when they are read. */
export interface Transformer {
  /** `context` is the storage key and is authenticated with the value. Throws errors with kube-apiserver's texts. */
  seal(value: Uint8Array, context: Buffer): Uint8Array;
  /** Throws if the value was sealed by another transformer or with another context. */
  open(data: Uint8Array, context: Buffer): Opened;
  /**
   * Fetches the key that `open` needs for this value. Undefined if nothing is missing, or if fetching failed a moment ago.
   * Never rejects: `open` throws the reason.
   */
  prepare?(data: Uint8Array): Promise<void> | undefined;
  /** Whether the prefix of the value is one of a known provider and key. */
  knows?(data: Uint8Array): boolean;
}

/** A transformer for values with a prefix; the identity transformer has the empty prefix. */
export interface PrefixTransformer {
  readonly prefix: string;
  readonly transformer: Transformer;
}

/** Called for every transformation: kube-apiserver's `apiserver_storage_transformation_*` metrics. */
export type ObserveTransformation = (
  type: 'from_storage' | 'to_storage',
  prefix: string,
  seconds: number,
  error: unknown,
) => void;

const encryptedPrefix = Buffer.from('k8s:enc:');

export function isEncrypted(data: Uint8Array): boolean {
  return startsWith(data, encryptedPrefix);
}

/** Stores values as they are. Refuses to open values with the prefix of encrypted ones. */
export const identityTransformer: Transformer = {
  seal: (value) => value,
  open(data) {
    if (isEncrypted(data)) throw new Error('identity transformer tried to read encrypted data');
    return { value: data, stale: false };
  },
  knows: (data) => !isEncrypted(data),
};

interface Choice {
  readonly prefix: Buffer;
  readonly name: string;
  readonly transformer: Transformer;
}

/**
 * Seals with the first transformer. Opens with the first that matches the prefix and succeeds, because providers of one type
 * share a prefix while keys are rotated. Values opened by a later one are stale.
 */
export class PrefixTransformers implements Transformer {
  readonly #choices: readonly Choice[];
  readonly #first: Choice;
  readonly #noMatch: string;
  readonly #observe: ObserveTransformation | undefined;

  constructor(transformers: readonly PrefixTransformer[], noMatch: string, observe?: ObserveTransformation) {
    this.#choices = transformers.map(({ prefix, transformer }) => ({ prefix: Buffer.from(prefix), name: prefix, transformer }));
    const [first] = this.#choices;
    if (!first) throw new TypeError('at least one transformer is required');
    this.#first = first;
    this.#noMatch = noMatch;
    this.#observe = observe;
  }

  seal(value: Uint8Array, context: Buffer): Uint8Array {
    const { prefix, name, transformer } = this.#first;
    const began = performance.now();
    try {
      const sealed = transformer.seal(value, context);
      this.#observe?.('to_storage', name, secondsSince(began), undefined);
      return prefix.length === 0 ? sealed : Buffer.concat([prefix, sealed]);
    } catch (error) {
      this.#observe?.('to_storage', name, secondsSince(began), error);
      throw error;
    }
  }

  open(data: Uint8Array, context: Buffer): Opened {
    const began = performance.now();
    const errors: unknown[] = [];
    for (const choice of this.#choices) {
      if (!startsWith(data, choice.prefix)) continue;
      const opened = this.#tryOpen(choice, data, context, began, errors);
      if (opened) return choice === this.#first ? opened : { value: opened.value, stale: true };
    }
    if (errors.length > 0) throw errors.length === 1 ? errors[0] : aggregate(errors);
    const error = new Error(this.#noMatch);
    this.#observe?.('from_storage', 'unknown', secondsSince(began), error);
    throw error;
  }

  #tryOpen(
    { prefix, name, transformer }: Choice,
    data: Uint8Array,
    context: Buffer,
    began: number,
    errors: unknown[],
  ): Opened | undefined {
    try {
      const opened = transformer.open(prefix.length === 0 ? data : data.subarray(prefix.length), context);
      this.#observe?.('from_storage', name || 'identity', secondsSince(began), undefined);
      return opened;
    } catch (error) {
      // The identity transformer matches everything. Its refusal of encrypted data says nothing about later providers.
      if (prefix.length === 0) return undefined;
      this.#observe?.('from_storage', name, secondsSince(began), error);
      errors.push(error);
      return undefined;
    }
  }

  knows(data: Uint8Array): boolean {
    return this.#choices.some(
      ({ prefix, transformer }) => startsWith(data, prefix) && (transformer.knows?.(data.subarray(prefix.length)) ?? true),
    );
  }

  prepare(data: Uint8Array): Promise<void> | undefined {
    const waits: Promise<void>[] = [];
    for (const { prefix, transformer } of this.#choices) {
      if (!transformer.prepare || !startsWith(data, prefix)) continue;
      const wait = transformer.prepare(data.subarray(prefix.length));
      if (wait) waits.push(wait);
    }
    return waits.length > 0 ? Promise.all(waits).then(() => {}) : undefined;
  }
}

function startsWith(data: Uint8Array, prefix: Buffer): boolean {
  return data.length >= prefix.length && prefix.compare(data, 0, prefix.length) === 0;
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}

/** Joins distinct messages, as Go's error aggregate does. */
function aggregate(errors: readonly unknown[]): Error {
  const messages = [...new Set(errors.map((error) => (error instanceof Error ? error.message : String(error))))];
  return new Error(messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`, { cause: errors[0] });
}
