import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@tsukube/machinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiAccess, ApiAccessRequest, ApiAnswer } from '../access/api-access.ts';
import { type CertificateStore, memoryStore } from './certificate-store.ts';
import { folderStore } from './folder-store.ts';
import { secretStore } from './secret-store.ts';
import { openServingCertificates } from './serving-certificates.ts';

const options = { commonName: 'hook', hosts: ['hook.default.svc', '127.0.0.1'] };
const start = new Date('2026-01-01');
const day = 24 * 3_600_000;
const after = (days: number) => new Date(start.getTime() + days * day);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-sdk-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** An API server with Secrets only. */
function fakeSecrets(): ApiAccess & { secret: JsonObject | undefined } {
  let version = 0;
  const access = {
    secret: undefined as JsonObject | undefined,
    async send({ method, body }: ApiAccessRequest): Promise<ApiAnswer> {
      const stored = access.secret?.metadata as JsonObject | undefined;
      if (method === 'GET') return access.secret ? { status: 200, body: access.secret } : { status: 404, body: {} };
      const sent = body?.metadata as JsonObject;
      if (method === 'POST' ? stored : sent.resourceVersion !== stored?.resourceVersion) return { status: 409, body: {} };
      access.secret = { ...body, metadata: { ...sent, resourceVersion: String(++version) } };
      return { status: 200, body: access.secret };
    },
    close() {},
  };
  return access;
}

describe.each<[string, () => () => CertificateStore]>([
  [
    'memory',
    () => {
      const store = memoryStore();
      return () => store;
    },
  ],
  ['a folder', () => () => folderStore(join(folder, 'certificates'))],
  [
    'a Secret',
    () => {
      const access = fakeSecrets();
      return () => secretStore(access, { namespace: 'default', name: 'hook' });
    },
  ],
])('certificates in %s', (_, make) => {
  it('are created once, and verify', async () => {
    const open = make();
    const first = await openServingCertificates(open(), options, start);
    expect(await openServingCertificates(open(), options, after(1))).toEqual(first);
    const leaf = new X509Certificate(first.cert);
    expect(leaf.verify(new X509Certificate(first.ca).publicKey)).toBe(true);
    expect([leaf.checkHost('hook.default.svc'), leaf.checkIP('127.0.0.1')]).toEqual(['hook.default.svc', '127.0.0.1']);
  });

  it('are the same for replicas that start at the same time', async () => {
    const open = make();
    const all = await Promise.all(Array.from({ length: 5 }, () => openServingCertificates(open(), options, start)));
    const settled = await openServingCertificates(open(), options, start);
    for (const { ca } of all)
      expect(new X509Certificate(ca).publicKey.equals(new X509Certificate(settled.ca).publicKey)).toBe(true);
  });

  it('are renewed before they expire, with the same CA key', async () => {
    const open = make();
    const first = await openServingCertificates(open(), options, start);
    const second = await openServingCertificates(open(), options, after(250));
    expect(second.ca).toBe(first.ca);
    expect(second.cert).not.toBe(first.cert);
    const late = await openServingCertificates(open(), options, after(3000));
    expect(late.ca).not.toBe(first.ca);
    expect(new X509Certificate(late.cert).verify(new X509Certificate(first.ca).publicKey)).toBe(true);
  });

  it('are replaced if they do not cover the hosts', async () => {
    const open = make();
    const first = await openServingCertificates(open(), options, start);
    const second = await openServingCertificates(open(), { ...options, hosts: ['other'] }, start);
    expect(second.ca).toBe(first.ca);
    expect(new X509Certificate(second.cert).checkHost('other')).toBe('other');
  });
});

describe('a folder', () => {
  it('has keys that only the owner can read, and no other files', async () => {
    const place = join(folder, 'certificates');
    await openServingCertificates(folderStore(place), options, start);
    expect(readdirSync(place).sort()).toEqual(['ca.crt', 'ca.key', 'tls.crt', 'tls.key']);
    expect(statSync(join(place, 'tls.key')).mode & 0o777).toBe(0o600);
  });

  it('with a damaged serving certificate is repaired, with a damaged CA refused', async () => {
    const first = await openServingCertificates(folderStore(folder), options, start);
    writeFileSync(join(folder, 'tls.crt'), 'damaged');
    expect((await openServingCertificates(folderStore(folder), options, start)).ca).toBe(first.ca);
    writeFileSync(join(folder, 'ca.crt'), 'damaged');
    await expect(openServingCertificates(folderStore(folder), options, start)).rejects.toThrow(/ca.crt and ca.key are damaged/);
  });
});

it('gives up on a store that other clients change all the time', async () => {
  const store: CertificateStore = { load: async () => ({ files: new Map(), version: undefined }), save: async () => false };
  await expect(openServingCertificates(store, options, start)).rejects.toThrow(/changed by others 5 times/);
});

it('a Secret has the type kubernetes.io/tls', async () => {
  const access = fakeSecrets();
  await openServingCertificates(secretStore(access, { namespace: 'a', name: 'b' }), options, start);
  expect(access.secret).toMatchObject({ kind: 'Secret', type: 'kubernetes.io/tls', metadata: { name: 'b', namespace: 'a' } });
  expect(Object.keys(access.secret?.data as JsonObject).sort()).toEqual(['ca.crt', 'ca.key', 'tls.crt', 'tls.key']);
});
