import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryFiles } from '@tsukube/apiserver';
import { distinguishedName, issueCertificate, memoryFiles } from '@tsukube/machinery/pki';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPki, type Pki, servingHosts } from './pki.ts';

const start = new Date('2026-01-01T00:00:00Z');
const day = 24 * 3_600_000;
const hosts = servingHosts('127.0.0.1', '127.0.0.1');

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'tsukube-pki-')), 'pki');
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true }));

type SettledPki = Awaited<ReturnType<typeof settled>>;

async function settled({ admin, ...rest }: Pki) {
  return { ...rest, admin: await admin };
}

async function open(
  days = 0,
  names: readonly string[] = hosts,
  clientKeyAlgorithm: 'rsa' | 'ecdsa' = 'ecdsa',
): Promise<SettledPki> {
  const now = new Date(start.getTime() + days * day);
  return settled(openPki(directoryFiles(directory), { hosts: names, clientKeyAlgorithm }, now));
}

function certificates(pki: SettledPki): Record<string, X509Certificate> {
  return {
    ca: new X509Certificate(pki.ca),
    serving: new X509Certificate(pki.serving.certificate),
    admin: new X509Certificate(pki.admin.certificate),
    frontProxyCa: new X509Certificate(pki.frontProxy.ca),
    frontProxyClient: new X509Certificate(pki.frontProxy.client.certificate),
  };
}

describe('first start', () => {
  it('creates CAs and certificates that node:crypto verifies', async () => {
    const { ca, serving, admin, frontProxyCa, frontProxyClient } = certificates(await open()) as Record<
      string,
      X509Certificate
    > & {
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
    'the serving certificate is valid for %s',
    async (name) => expect(certificates(await open()).serving?.checkHost(name)).toBe(name),
  );

  it.each(['127.0.0.1', '::1', '10.1.2.3', 'fd00::10:0:1'])('the serving certificate is valid for %s', async (address) => {
    expect(certificates(await open(0, [...hosts, '10.1.2.3', 'fd00::10:0:1'])).serving?.checkIP(address)).toBe(address);
  });

  it('creates a service account key', async () => {
    const { serviceAccount } = await open();
    expect(serviceAccount.privateKey).toContain('BEGIN PRIVATE KEY');
    expect(serviceAccount.publicKey).toContain('BEGIN PUBLIC KEY');
    expect(readFileSync(join(directory, 'sa.pub'), 'utf8')).toBe(serviceAccount.publicKey);
  });

  it('makes private keys readable by the owner only', async () => {
    await open();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const modes = readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777] as const);
    expect(modes.filter(([name, mode]) => name.endsWith('.key') && mode !== 0o600)).toEqual([]);
    expect(modes.map(([name]) => name)).toEqual([
      'admin.crt',
      'admin.key',
      'apiserver-kubelet-client.crt',
      'apiserver-kubelet-client.key',
      'apiserver.crt',
      'apiserver.key',
      'ca.crt',
      'ca.key',
      'front-proxy-ca.crt',
      'front-proxy-ca.key',
      'front-proxy-client.crt',
      'front-proxy-client.key',
      'made-by-tsukube.sha256',
      'sa.key',
      'sa.pub',
    ]);
  });

  it('works without a disk', async () => {
    const files = memoryFiles();
    const again = () => settled(openPki(files, { hosts, clientKeyAlgorithm: 'ecdsa' }, start));
    expect(await again()).toEqual(await again());
  });
});

describe('later starts', () => {
  it('reuse everything', async () => expect(await open()).toEqual(await open(1)));

  it('restrict the permissions of keys', async () => {
    await open();
    chmodSync(join(directory, 'ca.key'), 0o644);
    await open(1);
    expect(statSync(join(directory, 'ca.key')).mode & 0o777).toBe(0o600);
  });

  it('renew certificates in the last third of their lifetime', async () => {
    const [first, early, later] = [await open(), await open(240), await open(250)];
    expect(early).toEqual(first);
    expect(later.serving).not.toEqual(first.serving);
    expect(later.admin).not.toEqual(first.admin);
    expect(later.frontProxy.client).not.toEqual(first.frontProxy.client);
    expect([later.ca, later.frontProxy.ca, later.serviceAccount]).toEqual([first.ca, first.frontProxy.ca, first.serviceAccount]);
    expect(certificates(later).serving?.validTo).toBe('Sep  8 00:00:00 2027 GMT');
  });

  it('renew a CA with the same key', async () => {
    const first = certificates(await open());
    const later = certificates(await open(2500));
    expect(later.ca?.raw).not.toEqual(first.ca?.raw);
    expect(later.serving?.verify(first.ca?.publicKey as never)).toBe(true);
    expect(later.serving?.checkIssued(first.ca as never)).toBe(true);
  });

  it('issue a new serving certificate for an added address, and keep it when the address is removed', async () => {
    const [first, other] = [await open(), await open(0, [...hosts, '10.0.0.5'])];
    expect(other.serving).not.toEqual(first.serving);
    expect(other.admin).toEqual(first.admin);
    expect((await open()).serving).toEqual(other.serving);
  });

  it.each(['apiserver.crt', 'apiserver.key', 'admin.key'])('replace a leaf whose %s is missing', async (name) => {
    const first = await open();
    rmSync(join(directory, name));
    const later = await open();
    expect(later).not.toEqual(first);
    expect(later.ca).toBe(first.ca);
    expect(await open()).toEqual(later);
  });

  it('create a new admin key for another algorithm', async () => {
    const first = await open();
    const later = await open(0, hosts, 'rsa');
    expect(certificates(first).admin?.publicKey.asymmetricKeyType).toBe('ec');
    expect(certificates(later).admin?.publicKey).toMatchObject({
      asymmetricKeyType: 'rsa',
      asymmetricKeyDetails: { modulusLength: 2048 },
    });
    expect(later.serving).toEqual(first.serving);
    expect(await open(0, hosts, 'rsa')).toEqual(later);
  });

  it('complete a CA of which only the key was written', async () => {
    await open();
    rmSync(join(directory, 'ca.crt'));
    expect(certificates(await open()).ca?.ca).toBe(true);
  });

  it('create the certificate of a lone CA key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    mkdirSync(directory);
    writeFileSync(join(directory, 'ca.key'), pem);
    const { ca } = certificates(await open());
    expect(readFileSync(join(directory, 'ca.key'), 'utf8')).toBe(pem);
    expect(ca?.checkPrivateKey(privateKey)).toBe(true);
  });

  it('refuse to replace a damaged CA', async () => {
    await open();
    writeFileSync(join(directory, 'ca.key'), 'garbage');
    await expect(open()).rejects.toThrow(`${join(directory, 'ca.crt')} and ca.key are damaged, or do not belong together`);
    rmSync(join(directory, 'ca.key'));
    await expect(open()).rejects.toThrow(`${join(directory, 'ca.key')} is missing`);
  });
});

describe('a CA provided by the user', () => {
  it.each(['rsa', 'ec'] as const)('signs with its own %s key', async (type) => {
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
    const { ca, serving } = certificates(await settled(openPki(files, { hosts, clientKeyAlgorithm: 'ecdsa' }, start)));
    expect(ca?.subject).toContain('Their CA');
    expect(serving?.checkIssued(ca as X509Certificate)).toBe(true);
    expect(serving?.verify((ca as X509Certificate).publicKey)).toBe(true);
  });
});

describe('files provided by the user', () => {
  const foreign = (commonName: string, names: readonly string[], notAfter = new Date('2040-01-01')) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const subject = distinguishedName({ commonName });
    const use = { for: 'server', hosts: names } as const;
    const certificate = issueCertificate(
      { subject, publicKey, notBefore: start, notAfter, use },
      { subject, keyIdentifier: undefined, key: privateKey },
    );
    return { certificate, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
  };
  const put = (name: string, pair: { certificate?: string; key?: string }): void => {
    mkdirSync(directory, { recursive: true });
    if (pair.certificate !== undefined) writeFileSync(join(directory, `${name}.crt`), pair.certificate);
    if (pair.key !== undefined) writeFileSync(join(directory, `${name}.key`), pair.key, { mode: 0o640 });
  };
  const kept = (name: string) => ({
    certificate: readFileSync(join(directory, `${name}.crt`), 'utf8'),
    key: readFileSync(join(directory, `${name}.key`), 'utf8'),
  });

  it.each([
    ['fits', foreign('theirs', hosts)],
    ['is for other hosts', foreign('theirs', ['elsewhere.example'])],
    ['has expired', foreign('theirs', hosts, new Date('2026-01-02T00:00:00Z'))],
  ])('serve as they are: a serving certificate that %s', async (_, pair) => {
    put('apiserver', pair);
    for (const days of [0, 1, 300]) {
      const pki = await open(days);
      expect(pki.serving).toEqual(pair);
      expect(pki.serverTrust).toBe(pki.ca + pair.certificate);
    }
    expect(kept('apiserver')).toEqual(pair);
    expect(statSync(join(directory, 'apiserver.key')).mode & 0o777).toBe(0o640);
  });

  it('replace files of the server', async () => {
    await open();
    const pair = foreign('theirs', hosts);
    put('apiserver', pair);
    expect((await open(1)).serving).toEqual(pair);
    expect(kept('apiserver')).toEqual(pair);
  });

  it.each<[{ certificate?: string; key?: string }, string]>([
    [{ certificate: foreign('a', hosts).certificate }, 'apiserver.crt and apiserver.key must be supplied as a pair'],
    [{ key: foreign('a', hosts).key }, 'apiserver.crt and apiserver.key must be supplied as a pair'],
    [{ certificate: 'garbage', key: 'garbage' }, 'apiserver.crt and apiserver.key are damaged, or do not belong together'],
    [{ ...foreign('a', hosts), key: foreign('b', hosts).key }, 'are damaged, or do not belong together'],
  ])('are refused and left alone where they cannot be used', async (pair, message) => {
    put('apiserver', pair);
    await expect(open()).rejects.toThrow(message);
    if (pair.certificate) expect(readFileSync(join(directory, 'apiserver.crt'), 'utf8')).toBe(pair.certificate);
    if (pair.key) expect(readFileSync(join(directory, 'apiserver.key'), 'utf8')).toBe(pair.key);
  });

  it('are rejected as admin certificate if another CA issued it', async () => {
    const pair = foreign('admin', hosts);
    put('admin', pair);
    await expect(open()).rejects.toThrow('was not issued by the authority beside it');
    expect(kept('admin')).toEqual(pair);
  });

  it('are not renewed: an expiring CA', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const subject = distinguishedName({ commonName: 'theirs' });
    const certificate = issueCertificate(
      { subject, publicKey, notBefore: start, notAfter: new Date('2027-01-01'), use: { for: 'authority' } },
      { subject, keyIdentifier: undefined, key: privateKey },
    );
    put('ca', { certificate, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() });
    await open();
    expect((await open(300)).ca).toBe(certificate);
  });
});

const opensslHere = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!opensslHere)('openssl verification', () => {
  it.each([
    ['ca.crt', 'apiserver.crt', 'sslserver'],
    ['ca.crt', 'admin.crt', 'sslclient'],
    ['front-proxy-ca.crt', 'front-proxy-client.crt', 'sslclient'],
  ])('%s vouches for %s as %s', async (ca, leaf, purpose) => {
    await settled(openPki(directoryFiles(directory), { hosts, clientKeyAlgorithm: 'ecdsa' }, new Date()));
    const args = ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', join(directory, ca), join(directory, leaf)];
    const { stdout, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    expect(stdout + stderr).toBe(`${join(directory, leaf)}: OK\n`);
  });

  it('rejects certificates for another purpose', async () => {
    await settled(openPki(directoryFiles(directory), { hosts, clientKeyAlgorithm: 'ecdsa' }, new Date()));
    const args = ['verify', '-purpose', 'sslserver', '-CAfile', join(directory, 'ca.crt'), join(directory, 'admin.crt')];
    expect(spawnSync('openssl', args).status).not.toBe(0);
  });
});
