import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aesCbc, aesGcm, extendedNonceGcm, secretbox } from './ciphers.ts';
import type { Transformer } from './transformer.ts';

interface Recorded {
  readonly provider: keyof typeof ciphers;
  readonly secret: string;
  readonly prefix: string;
  readonly key: string;
  readonly value: string;
  readonly contains: string;
}

/** Values that kube-apiserver 1.36.4 wrote to etcd. */
const recorded = JSON.parse(readFileSync(new URL('recorded/values.json', import.meta.url), 'utf8')) as Recorded[];

const ciphers = { aescbc: aesCbc, aesgcm: aesGcm, secretbox, seed: extendedNonceGcm };
const context = Buffer.from('/registry/secrets/default/a');
const opens = (transformer: Transformer, data: Uint8Array) => transformer.open(data, context).value;

describe('values of kube-apiserver', () => {
  it.each(recorded)('are opened: $key', async ({ provider, secret, prefix, key, value, contains }) => {
    const transformer = await ciphers[provider](Buffer.from(secret, 'base64'));
    const data = Buffer.from(value, 'base64');
    expect(data.toString('latin1')).toMatch(new RegExp(`^${prefix}`));
    const opened = Buffer.from(transformer.open(data.subarray(prefix.length), Buffer.from(key)).value);
    expect(opened.toString('latin1')).toMatch(/^(k8s\0|\{"apiVersion")/);
    expect(opened.includes(contains)).toBe(true);
    expect(data.includes(contains)).toBe(false);
  });
});

describe.each([
  ['aescbc', 16],
  ['aescbc', 24],
  ['aescbc', 32],
  ['aesgcm', 16],
  ['aesgcm', 24],
  ['aesgcm', 32],
  ['secretbox', 32],
  ['seed', 32],
] as const)('%s with a key of %i bytes', (provider, size) => {
  it.each([0, 1, 15, 16, 17, 1000])('round-trips %i bytes', async (length) => {
    const transformer = await ciphers[provider](randomBytes(size));
    const value = randomBytes(length);
    const sealed = transformer.seal(value, context);
    expect(Buffer.from(opens(transformer, sealed))).toEqual(value);
    expect(transformer.seal(value, context)).not.toEqual(sealed);
  });

  it('rejects data that is short, truncated or sealed with another key', async () => {
    const transformer = await ciphers[provider](randomBytes(size));
    const other = await ciphers[provider](randomBytes(size));
    const sealed = transformer.seal(randomBytes(100), context);
    for (const length of [0, 5, 12, 20, sealed.length - 1])
      expect(() => opens(transformer, sealed.subarray(0, length))).toThrow();
    // CBC is not authenticated: one byte of padding may be valid by chance.
    if (provider !== 'aescbc') expect(() => opens(other, sealed)).toThrow();
  });
});

it.each(['aesgcm', 'seed'] as const)('%s binds a value to its key in the store', async (provider) => {
  const transformer = await ciphers[provider](randomBytes(32));
  const sealed = transformer.seal(Buffer.from('value'), context);
  expect(() => transformer.open(sealed, Buffer.from('/registry/secrets/default/b'))).toThrow('message authentication failed');
});

it('a box of 1.5 MiB does not block the event loop', async () => {
  const transformer = await secretbox(randomBytes(32));
  const value = randomBytes(1.5 * 2 ** 20);
  transformer.seal(value, context);
  const milliseconds = Array.from({ length: 5 }, () => {
    const began = process.cpuUsage();
    opens(transformer, transformer.seal(value, context));
    return process.cpuUsage(began).user / 1000;
  });
  expect(Math.min(...milliseconds)).toBeLessThan(100);
});
