import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../contract/index.ts';
import { aesGcm } from './ciphers.ts';
import { EnvelopeTransformer } from './kms-envelope.ts';
import { type Annotations, type DecryptRequest, decodeEncryptedObject, encodeEncryptedObject } from './kms-messages.ts';
import type { KmsPlugin } from './kms-plugin.ts';
import { KmsProbe } from './kms-probe.ts';

/** "Encrypts" by reversing the bytes. */
class FakePlugin implements KmsPlugin {
  readonly calls: string[] = [];
  readonly decrypted: DecryptRequest[] = [];
  keyId = 'key-1';
  /** The key ID of encrypt responses, if it differs from that of the status. */
  encryptKeyId: string | undefined;
  healthz = 'ok';
  version = 'v2';
  annotations: Annotations = new Map();
  isDown = false;

  async #called(name: string): Promise<void> {
    this.calls.push(name);
    if (this.isDown) throw new Error('down');
  }
  async status() {
    await this.#called('status');
    return { version: this.version, healthz: this.healthz, keyId: this.keyId };
  }
  async encrypt({ plaintext }: { plaintext: Uint8Array }) {
    await this.#called('encrypt');
    const ciphertext = Uint8Array.from(plaintext).reverse();
    return { ciphertext, keyId: this.encryptKeyId ?? this.keyId, annotations: this.annotations };
  }
  async decrypt(request: DecryptRequest) {
    await this.#called('decrypt');
    this.decrypted.push(request);
    return Uint8Array.from(request.ciphertext).reverse();
  }
  close() {}
}

const context = Buffer.from('/registry/secrets/default/a');
const value = Buffer.from('value');
const settled = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

let plugin: FakePlugin;
let clock: ManualClock;
let probe: KmsProbe;
let transformer: EnvelopeTransformer;
let failures: string[];

beforeEach(async () => {
  plugin = new FakePlugin();
  clock = new ManualClock();
  failures = [];
  probe = newProbe();
  transformer = newTransformer(probe);
  await probe.start();
  return () => probe.stop();
});

function newProbe(): KmsProbe {
  return new KmsProbe({ name: 'mock', plugin, clock, onFailure: ({ message }) => failures.push(message) });
}

function newTransformer({ writeKey, checkWritable }: KmsProbe): EnvelopeTransformer {
  return new EnvelopeTransformer({ plugin, writeKey, checkWritable, clock });
}

describe('EnvelopeTransformer', () => {
  it('reads values of kube-apiserver', async () => {
    const recorded = JSON.parse(readFileSync(new URL('./recorded/kms-value.json', import.meta.url), 'utf8'));
    const data = Buffer.from(recorded.value, 'base64').subarray(recorded.prefix.length);
    await transformer.prepare(data);
    const opened = transformer.open(data, Buffer.from(recorded.key));
    expect(Buffer.from(opened.value).toString('latin1')).toMatch(/^k8s\0/);
    expect(Buffer.from(opened.value).includes(recorded.contains)).toBe(true);
    expect([...(plugin.decrypted[0]?.annotations.keys() ?? [])].sort()).toEqual(['a.kms.example', 'hint.kms.example']);
    expect(() => transformer.open(data, context)).toThrow('message authentication failed');
  });

  it('encodes values as kube-apiserver does', () => {
    const recorded = JSON.parse(readFileSync(new URL('./recorded/kms-value.json', import.meta.url), 'utf8'));
    const data = Buffer.from(recorded.value, 'base64').subarray(recorded.prefix.length);
    const encoded = encodeEncryptedObject(decodeEncryptedObject(data));
    expect(encoded.equals(data)).toBe(true);
  });

  it('encrypts and decrypts a seed once for all values', async () => {
    const sealed = [1, 2, 3].map(() => transformer.seal(value, context));
    expect(plugin.calls).toEqual(['status', 'encrypt']);
    const other = newTransformer(probe);
    expect(() => other.open(sealed[0] as Buffer, context)).toThrow('not in memory');
    await Promise.all(sealed.map((data) => other.prepare(data)));
    for (const data of sealed) expect(Buffer.from(other.open(data, context).value)).toEqual(value);
    expect(plugin.calls).toEqual(['status', 'encrypt', 'decrypt']);
    expect(other.prepare(sealed[0] as Buffer)).toBeUndefined();
  });

  it('reads values of older servers with a plain AES-GCM DEK, which are stale', async () => {
    const key = Buffer.alloc(32, 7);
    const object = {
      encryptedData: aesGcm(key).seal(value, context),
      keyId: 'key-1',
      encryptedDekSource: Uint8Array.from(key).reverse(),
      annotations: new Map(),
      dekSourceType: 0,
    };
    const data = encodeEncryptedObject(object);
    await transformer.prepare(data);
    expect(transformer.open(data, context)).toEqual({ value, stale: true });
  });

  it('reports why a DEK could not be decrypted, and recovers', async () => {
    const data = transformer.seal(value, context);
    const other = newTransformer(probe);
    plugin.isDown = true;
    await other.prepare(data);
    expect(() => other.open(data, context)).toThrow('failed to decrypt DEK, error: down');
    plugin.isDown = false;
    expect(other.prepare(data)).toBeUndefined();
    clock.advance(1);
    await other.prepare(data);
    expect(Buffer.from(other.open(data, context).value)).toEqual(value);
  });

  it.each([
    ['no protobuf', Buffer.from([255, 255, 255]), 'cannot parse invalid wire-format data'],
    ['nothing', Buffer.alloc(0), 'encrypted data is empty'],
    ['a long source', encoded({ encryptedDekSource: Buffer.alloc(1025, 1) }), 'which exceeds the max size of 1024'],
    ['no key ID', encoded({ keyId: '' }), 'failed to validate key id: keyID is empty'],
    ['an unknown type', encoded({ dekSourceType: 2 }), 'unknown encryptedDEKSourceType: 2'],
    ['a bad annotation', encoded({ annotations: new Map([['a', value]]) }), 'failed to validate annotations'],
  ])('rejects %s', (_, data, message) => {
    expect(transformer.prepare(data)).toBeUndefined();
    expect(() => transformer.open(data, context)).toThrow(message);
  });
});

function encoded(changes: object): Buffer {
  return encodeEncryptedObject({
    encryptedData: Buffer.from('data'),
    keyId: 'key-1',
    encryptedDekSource: Buffer.from('source'),
    annotations: new Map(),
    dekSourceType: 1,
    ...changes,
  });
}

describe('KmsProbe', () => {
  it('polls each minute, and creates a new seed when the key ID changes', async () => {
    const before = transformer.seal(value, context);
    clock.advance(60);
    await settled();
    expect(plugin.calls).toEqual(['status', 'encrypt', 'status']);
    expect(transformer.open(before, context).stale).toBe(false);
    plugin.keyId = 'key-2';
    clock.advance(60);
    await settled();
    expect(plugin.calls).toEqual(['status', 'encrypt', 'status', 'status', 'encrypt']);
    expect(transformer.open(before, context)).toEqual({ value, stale: true });
    expect(transformer.open(transformer.seal(value, context), context).stale).toBe(false);
  });

  it('polls every ten seconds while the plugin fails; writes fail after three minutes, reads do not', async () => {
    const before = transformer.seal(value, context);
    plugin.isDown = true;
    clock.advance(60);
    await settled();
    for (let i = 0; i < 11; i++) {
      clock.advance(10);
      await settled();
      transformer.seal(value, context);
    }
    expect(failures).toHaveLength(12);
    clock.advance(20);
    await settled();
    expect(() => transformer.seal(value, context)).toThrow(
      /^encryptedDEKSource with keyID hash "sha256:\w{64}" expired at 2030-/,
    );
    expect(transformer.open(before, context).value).toEqual(value);
    plugin.isDown = false;
    clock.advance(10);
    await settled();
    transformer.seal(value, context);
    expect(plugin.calls.filter((call) => call === 'encrypt')).toHaveLength(1);
  });

  it('starts without the plugin', async () => {
    probe.stop();
    plugin.isDown = true;
    probe = newProbe();
    transformer = newTransformer(probe);
    await probe.start();
    expect(() => transformer.seal(value, context)).toThrow('got unexpected nil transformer');
    plugin.isDown = false;
    clock.advance(10);
    await settled();
    transformer.seal(value, context);
  });

  it.each<[string, Partial<FakePlugin>, string]>([
    [
      'its health',
      { healthz: 'out of order' },
      'kmsv2 Provider mock is not healthy, error: got unexpected healthz status: out of order',
    ],
    ['its version', { version: 'v3' }, 'expected KMSv2 API version v2, got v3'],
    [
      'a version that changes',
      { version: 'v2beta1' },
      'should not change after the initial status response version v2, got v2beta1',
    ],
    ['no key ID', { keyId: '' }, 'got invalid KMSv2 KeyID hash "": keyID is empty'],
    ['a long key ID', { keyId: 'x'.repeat(1025) }, 'keyID is 1025 bytes, which exceeds the max size of 1024'],
    ['another key ID in encrypt', { keyId: 'key-2', encryptKeyId: 'key-3' }, 'failed to rotate DEK uid='],
    ['being away', { isDown: true }, 'failed to perform status section of the healthz check for KMS Provider mock, error: down'],
  ])('fails for %s', async (_, changes, message) => {
    Object.assign(plugin, changes);
    await probe.check();
    clock.advance(21);
    await expect(probe.check()).rejects.toThrow(message);
    const { length } = plugin.calls;
    await expect(probe.check()).rejects.toThrow();
    expect(plugin.calls).toHaveLength(length);
    transformer.seal(value, context);
  });
});
