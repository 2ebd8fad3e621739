import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encryptionMetrics, Registry, silentLogger } from '@tsukube/apiserver';
import type { Store } from '@tsukube/storage';
import { ManualClock } from '@tsukube/storage/contract';
import { openMemory } from '@tsukube/storage/memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Encryption, openEncryption } from './encryption.ts';
import { resourceOfKey } from './resource-of-key.ts';

const resourceOf = resourceOfKey(
  [
    { group: '', resource: 'secrets', storagePrefix: '/registry/secrets' },
    { group: 'events.k8s.io', resource: 'events', storagePrefix: '/registry/events' },
    { group: '', resource: 'events', storagePrefix: '/registry/events' },
    { group: '', resource: 'services', storagePrefix: '/registry/services/specs' },
    { group: 'apps', resource: 'deployments', storagePrefix: '/registry/deployments' },
    { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', storagePrefix: '' },
  ],
  '/registry',
);

describe('the resource of a key', () => {
  it.each([
    ['/registry/secrets/default/a', ['', 'secrets']],
    ['/registry/services/specs/default/a', ['', 'services']],
    ['/registry/events/default/a', ['', 'events']],
    ['/registry/deployments/default/a', ['apps', 'deployments']],
    ['/registry/bears.example/pandas/default/p', ['bears.example', 'pandas']],
    ['/registry/bears.example/pandas/p', ['bears.example', 'pandas']],
    ['/registry/ranges/servicenodeports', undefined],
    ['/registry/masterleases/10.0.0.1', undefined],
    ['/elsewhere/bears.example/pandas/p', undefined],
  ])('%s', (key, expected) => {
    const found = resourceOf(key);
    expect(found && [found.group, found.resource]).toEqual(expected);
  });
});

const secret = (fill: string) => Buffer.alloc(32, fill).toString('base64');
const cbc = (...names: string[]) => ({ aescbc: { keys: names.map((name) => ({ name, secret: secret(name) })) } });
const value = Buffer.from('{"plain":true}');

describe('the configuration in use', () => {
  let directory: string;
  let file: string;
  let clock: ManualClock;
  let registry: Registry;
  let raw: Store;
  let encryption: Encryption | undefined;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'encryption-'));
    file = join(directory, 'config.json');
    clock = new ManualClock();
    registry = new Registry();
    raw = openMemory();
  });
  afterEach(() => {
    encryption?.close();
    rmSync(directory, { recursive: true });
  });

  const write = (...rules: [string[], object[]][]) => {
    const resources = rules.map(([names, providers]) => ({ resources: names, providers }));
    writeFileSync(file, JSON.stringify({ kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources }));
  };
  const open = async (reload: boolean): Promise<Store> => {
    const metrics = encryptionMetrics(registry, 'server', () => clock.now());
    encryption = await openEncryption({ file, reload, resourceOf, metrics, clock, logger: silentLogger });
    return encryption.encrypted(raw);
  };
  let keys = 0;
  const prefixOf = async (store: Store, prefix = '/registry/secrets/') => {
    const key = `${prefix}${keys++}`;
    await store.create(key, value);
    return /^(k8s:enc:[a-z]+:v1:\w+:)?/.exec(Buffer.from((await raw.get(key))?.value ?? []).toString('latin1'))?.[0];
  };

  it('applies the most specific rule', async () => {
    write(
      [['deployments.apps', 'events'], [{ identity: {} }]],
      [['*.'], [cbc('a')]],
      [['*.apps'], [cbc('b')]],
      [['*.*'], [cbc('c')]],
    );
    const store = await open(false);
    expect(encryption?.checks).toEqual({ kms: [], hooks: [] });
    expect(await prefixOf(store)).toBe('k8s:enc:aescbc:v1:a:');
    expect(await prefixOf(store, '/registry/services/specs/a/')).toBe('k8s:enc:aescbc:v1:a:');
    expect(await prefixOf(store, '/registry/events/a/')).toBe('');
    expect(await prefixOf(store, '/registry/deployments/a/')).toBe('');
    expect(await prefixOf(store, '/registry/bears.example/pandas/')).toBe('k8s:enc:aescbc:v1:c:');
    expect(await prefixOf(store, '/registry/ranges/')).toBe('');
  });

  it('is reloaded when the file changes, unless it is invalid', async () => {
    write([['secrets'], [cbc('a')]]);
    const store = await open(true);
    expect(encryption?.checks.kms.map(({ name }) => name)).toEqual(['kms-providers']);
    expect(await prefixOf(store)).toBe('k8s:enc:aescbc:v1:a:');
    write([['secrets'], [cbc('b', 'a')]]);
    clock.advance(60);
    await vi.waitFor(async () => expect(await prefixOf(store)).toBe('k8s:enc:aescbc:v1:b:'));
    await vi.waitFor(async () => expect(await reloads()).toEqual({ success: 1 }));
    const hash = await lastHash();
    writeFileSync(file, 'not: good');
    clock.advance(60);
    await vi.waitFor(async () => expect(await reloads()).toEqual({ success: 1, failure: 1 }));
    expect(await lastHash()).toBe(hash);
    expect(await prefixOf(store)).toBe('k8s:enc:aescbc:v1:b:');
    write([['*.*'], [{ identity: {} }, cbc('b', 'a')]]);
    clock.advance(1);
    await vi.waitFor(async () => expect(await reloads()).toEqual({ success: 2, failure: 1 }));
    expect(await prefixOf(store)).toBe('');
    expect((await store.list('/registry/secrets/')).entries.every(({ value: plain }) => value.equals(plain))).toBe(true);
  });

  it('does not change without --encryption-provider-config-automatic-reload', async () => {
    write([['secrets'], [cbc('a')]]);
    const store = await open(false);
    write([['secrets'], [cbc('b')]]);
    clock.advance(600);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await prefixOf(store)).toBe('k8s:enc:aescbc:v1:a:');
  });

  it('is not applied if its plugins do not respond', async () => {
    write([['secrets'], [cbc('a')]]);
    const store = await open(true);
    const kms = { apiVersion: 'v2', name: 'away', endpoint: `unix://${join(directory, 'kms.sock')}`, timeout: '20ms' };
    write([['secrets'], [{ kms }, cbc('a')]]);
    const ticking = setInterval(() => clock.advance(1), 20);
    try {
      clock.advance(60);
      await vi.waitFor(async () => expect((await reloads()).failure).toBeGreaterThan(0), { timeout: 5_000 });
    } finally {
      clearInterval(ticking);
    }
    expect(await prefixOf(store)).toBe('k8s:enc:aescbc:v1:a:');
    await encryption?.checks.kms[0]?.check();
  });

  const reloads = async () => {
    const lines = (await registry.scrape()).matchAll(/automatic_reloads_total\{.*status="(\w+)"\} (\d+)/g);
    return Object.fromEntries([...lines].map(([, status, count]) => [status, Number(count)]));
  };
  const lastHash = async () => {
    const hashes = [...(await registry.scrape()).matchAll(/last_config_info\{.*hash="(sha256:\w+)"\} 1/g)];
    expect(hashes).toHaveLength(1);
    return hashes[0]?.[1];
  };
});
