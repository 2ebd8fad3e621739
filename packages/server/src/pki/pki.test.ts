import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { distinguishedName, issueCertificate } from './certificate.ts';
import { directoryFiles, memoryFiles } from './files.ts';
import { openPki, type Pki } from './pki.ts';
import { servingHosts } from './serving-hosts.ts';

const start = new Date('2026-01-01T00:00:00Z');
const day = 24 * 3_600_000;
const hosts = servingHosts('127.0.0.1', '127.0.0.1');

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'tsukube-pki-')), 'pki');
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true }));

function open(days = 0, names: readonly string[] = hosts): Pki {
  return openPki(directoryFiles(directory), names, new Date(start.getTime() + days * day));
}

function certificates(pki: Pki): Record<string, X509Certificate> {
  return {
    ca: new X509Certificate(pki.ca),
    serving: new X509Certificate(pki.serving.certificate),
    admin: new X509Certificate(pki.admin.certificate),
    frontProxyCa: new X509Certificate(pki.frontProxy.ca),
    frontProxyClient: new X509Certificate(pki.frontProxy.client.certificate),
  };
}

describe('first start', () => {
  it('makes authorities and certificates that node:crypto verifies', () => {
    const { ca, serving, admin, frontProxyCa, frontProxyClient } = certificates(open()) as Record<string, X509Certificate> & {
      [name: string]: X509Certificate;
    };
    for (const [leaf, issuer] of [
      [serving, ca],
      [admin, ca],
      [frontProxyClient, frontProxyCa],
      [ca, ca],
    ] as [X509Certificate, X509Certificate][]) {
      expect(leaf.checkIssued(issuer)).toBe(true);
      expect(leaf.verify(issuer.publicKey)).toBe(true);
    }
    expect(ca?.ca).toBe(true);
    expect(serving?.ca).toBe(false);
    expect(admin?.subject).toBe('O=system:masters\nCN=admin');
    expect(frontProxyClient?.subject).toBe('CN=front-proxy-client');
  });

  it.each(['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'])(
    'speaks for %s',
    (name) => expect(certificates(open()).serving?.checkHost(name)).toBe(name),
  );

  it.each(['127.0.0.1', '::1', '10.1.2.3', 'fd00::10:0:1'])('speaks for %s', (address) => {
    expect(certificates(open(0, [...hosts, '10.1.2.3', 'fd00::10:0:1'])).serving?.checkIP(address)).toBe(address);
  });

  it('makes a key pair for service accounts', () => {
    const { serviceAccount } = open();
    expect(serviceAccount.privateKey).toContain('BEGIN PRIVATE KEY');
    expect(serviceAccount.publicKey).toContain('BEGIN PUBLIC KEY');
    expect(readFileSync(join(directory, 'sa.pub'), 'utf8')).toBe(serviceAccount.publicKey);
  });

  it('keeps private keys from others', () => {
    open();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const modes = readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777] as const);
    expect(modes.filter(([name, mode]) => name.endsWith('.key') && mode !== 0o600)).toEqual([]);
    expect(modes.map(([name]) => name)).toEqual([
      'admin.crt',
      'admin.key',
      'apiserver.crt',
      'apiserver.key',
      'ca.crt',
      'ca.key',
      'front-proxy-ca.crt',
      'front-proxy-ca.key',
      'front-proxy-client.crt',
      'front-proxy-client.key',
      'sa.key',
      'sa.pub',
    ]);
  });

  it('works without a disk', () => {
    const files = memoryFiles();
    expect(openPki(files, hosts, start)).toEqual(openPki(files, hosts, start));
  });
});

describe('later starts', () => {
  it('reuse everything', () => expect(open()).toEqual(open(1)));

  it('close a key that others could read', () => {
    open();
    chmodSync(join(directory, 'ca.key'), 0o644);
    open(1);
    expect(statSync(join(directory, 'ca.key')).mode & 0o777).toBe(0o600);
  });

  it('renew leaves in the last third of their life, and leave the rest alone', () => {
    const [first, early, later] = [open(), open(240), open(250)];
    expect(early).toEqual(first);
    expect(later.serving).not.toEqual(first.serving);
    expect(later.admin).not.toEqual(first.admin);
    expect(later.frontProxy.client).not.toEqual(first.frontProxy.client);
    expect([later.ca, later.frontProxy.ca, later.serviceAccount]).toEqual([first.ca, first.frontProxy.ca, first.serviceAccount]);
    expect(certificates(later).serving?.validTo).toBe('Sep  8 00:00:00 2027 GMT');
  });

  it('renew an authority without locking out those who trust the old one', () => {
    const first = certificates(open());
    const later = certificates(open(2500));
    expect(later.ca?.raw).not.toEqual(first.ca?.raw);
    expect(later.serving?.verify(first.ca?.publicKey as never)).toBe(true);
    expect(later.serving?.checkIssued(first.ca as never)).toBe(true);
  });

  it('make a new serving certificate for another address, and keep it when the address is given up', () => {
    const [first, other] = [open(), open(0, [...hosts, '10.0.0.5'])];
    expect(other.serving).not.toEqual(first.serving);
    expect(other.admin).toEqual(first.admin);
    expect(open().serving).toEqual(other.serving);
  });

  it.each(['apiserver.crt', 'apiserver.key', 'admin.key'])(
    'replace a leaf whose %s is damaged, missing or of another pair',
    (name) => {
      const first = open();
      for (const damage of [
        () => writeFileSync(join(directory, name), 'garbage'),
        () => rmSync(join(directory, name)),
        () => writeFileSync(join(directory, name), readFileSync(join(directory, `front-proxy-client.${name.slice(-3)}`))),
      ]) {
        damage();
        const later = open();
        expect(later).not.toEqual(first);
        expect(later.ca).toBe(first.ca);
        expect(open()).toEqual(later);
      }
    },
  );

  it('finish what a crash interrupted: an authority whose key alone was written', () => {
    open();
    rmSync(join(directory, 'ca.crt'));
    expect(certificates(open()).ca?.ca).toBe(true);
  });

  it('refuse to replace an authority that was damaged', () => {
    open();
    writeFileSync(join(directory, 'ca.key'), 'garbage');
    expect(() => open()).toThrow(`${join(directory, 'ca.crt')} and ca.key are damaged, or do not belong together`);
    rmSync(join(directory, 'ca.key'));
    expect(() => open()).toThrow(`${join(directory, 'ca.key')} is missing`);
  });
});

describe('an authority of somebody else', () => {
  it.each(['rsa', 'ec'] as const)('signs with its own %s key', (type) => {
    const { privateKey, publicKey } =
      type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const subject = distinguishedName({ commonName: 'Their CA, "Ltd"', organizations: ['Theirs'] });
    const certificate = issueCertificate(
      { subject, publicKey, notBefore: start, notAfter: new Date('2040-01-01'), use: { for: 'authority' } },
      { subject, keyIdentifier: undefined, key: privateKey },
    );
    const files = memoryFiles();
    files.put('ca.crt', certificate);
    files.put('ca.key', privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    const { ca, serving } = certificates(openPki(files, hosts, start));
    expect(ca?.subject).toContain('Their CA');
    expect(serving?.checkIssued(ca as X509Certificate)).toBe(true);
    expect(serving?.verify((ca as X509Certificate).publicKey)).toBe(true);
  });
});

const opensslHere = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!opensslHere)('openssl agrees', () => {
  it.each([
    ['ca.crt', 'apiserver.crt', 'sslserver'],
    ['ca.crt', 'admin.crt', 'sslclient'],
    ['front-proxy-ca.crt', 'front-proxy-client.crt', 'sslclient'],
  ])('%s vouches for %s as %s', (ca, leaf, purpose) => {
    openPki(directoryFiles(directory), hosts, new Date());
    const args = ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', join(directory, ca), join(directory, leaf)];
    const { stdout, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    expect(stdout + stderr).toBe(`${join(directory, leaf)}: OK\n`);
  });

  it('does not take one purpose for another', () => {
    openPki(directoryFiles(directory), hosts, new Date());
    const args = ['verify', '-purpose', 'sslserver', '-CAfile', join(directory, 'ca.crt'), join(directory, 'admin.crt')];
    expect(spawnSync('openssl', args).status).not.toBe(0);
  });
});
