import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { etcdMissing, type RunningEtcd, startEtcd } from '../../../../tests/support/etcd.ts';
import { bytesTag, finish, type GrpcMethod, type MessageWriter, varintTag, write } from '../grpc/protobuf.ts';
import { type Store, Unavailable } from '../store.ts';
import { type EtcdOptions, openEtcd } from './index.ts';
import { EtcdMember } from './rpc/members.ts';

const opensslMissing = spawnSync('openssl', ['version']).error !== undefined;

const disposals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

async function open(options: EtcdOptions): Promise<Store> {
  const store = await openEtcd(options);
  disposals.push(() => store.close());
  return store;
}

describe.skipIf(etcdMissing || opensslMissing)('over TLS', () => {
  it('sends its client certificate, given as file or text, and verifies that of the server', async () => {
    const { ca, server, client, stranger } = await certificates();
    const etcd = await startEtcd({ tls: { ca, ...server } });
    disposals.push(etcd.stop);
    const endpoints = [etcd.endpoint];
    const store = await open({ endpoints, tls: { ca, ...client } });
    const { revision } = await store.create('/registry/a', Buffer.from('1'));
    const [caText, cert, key] = await Promise.all([ca, client.cert, client.key].map((file) => readFile(file, 'utf8')));
    const other = await open({ endpoints, tls: { ca: caText, cert, key: Buffer.from(key as string) } });
    expect((await other.get('/registry/a'))?.revision).toBe(revision);
    for (const tls of [{ ca }, { ca: stranger, ...client }, undefined]) {
      const refused = await open({ endpoints, tls, timeoutMs: 300 });
      await expect(refused.create('/registry/b', Buffer.from('1'))).rejects.toMatchObject({
        name: 'Unavailable',
        unwritten: true,
      });
    }
  });
});

describe.skipIf(etcdMissing)('with users', () => {
  it('authenticates, and again when its token is invalid', async () => {
    const etcd = await withUsers();
    const store = await open({ endpoints: [etcd.endpoint], username: 'root', password: 'secret' });
    const a = await store.create('/registry/a', Buffer.from('1'));
    const batches = store.watch('/registry/', a.revision + 1, AbortSignal.timeout(20_000))[Symbol.asyncIterator]();
    await batches.next();
    await etcd.kill();
    await etcd.start();
    const b = await store.create('/registry/b', Buffer.from('1'));
    expect((await batches.next()).value).toMatchObject({ changes: [{ entry: { key: '/registry/b' } }], revision: b.revision });
  });

  it('works with a user that may read only the prefix', async () => {
    const etcd = await withUsers();
    const store = await open({ endpoints: [etcd.endpoint], username: 'limited', password: 'secret' });
    await store.ping();
    const a = await store.create('/registry/a', Buffer.from('1'));
    await expect(store.create('/other', Buffer.from('1'))).rejects.toMatchObject({ name: 'Unavailable', unwritten: true });
    const signal = AbortSignal.timeout(20_000);
    const batches = store.watch('/registry/', a.revision, signal)[Symbol.asyncIterator]();
    expect((await batches.next()).value).toMatchObject({ changes: [{ entry: { key: '/registry/a' } }], revision: a.revision });
    await expect(store.watch('/other', 1, signal)[Symbol.asyncIterator]().next()).rejects.toThrow(Unavailable);
  });

  it('reports a wrong password', async () => {
    const etcd = await withUsers();
    const store = await open({ endpoints: [etcd.endpoint], username: 'root', password: 'wrong' });
    await expect(store.create('/registry/a', Buffer.from('1'))).rejects.toThrow(/cannot authenticate as root/);
  });

  it('ignores credentials if authentication is disabled', async () => {
    const etcd = await startEtcd();
    disposals.push(etcd.stop);
    const store = await open({ endpoints: [etcd.endpoint], username: 'root', password: 'secret' });
    expect((await store.create('/registry/a', Buffer.from('1'))).revision).toBeGreaterThan(1);
  });
});

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface Certificates {
  readonly ca: string;
  readonly server: Certificate;
  readonly client: Certificate;
  /** A certificate of an untrusted CA. */
  readonly stranger: string;
}

async function certificates(): Promise<Certificates> {
  const dir = await mkdtemp(join(tmpdir(), 'tsukube-certs-'));
  disposals.push(() => rm(dir, { recursive: true, force: true }));
  const [ca, stranger] = await Promise.all([authority(dir, 'ca'), authority(dir, 'stranger')]);
  const [server, client] = await Promise.all([signed(dir, 'server', ca), signed(dir, 'client', ca)]);
  return { ca: ca.cert, server, client, stranger: stranger.cert };
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

async function authority(dir: string, name: string): Promise<Certificate> {
  const [cert, key] = [join(dir, `${name}.crt`), join(dir, `${name}.key`)];
  await openssl('req', '-x509', ...newKey, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`, '-days', '2');
  return { cert, key };
}

async function signed(dir: string, name: string, by: Certificate): Promise<Certificate> {
  const [cert, key, request, extensions] = ['crt', 'key', 'csr', 'ext'].map((kind) => join(dir, `${name}.${kind}`)) as [
    string,
    string,
    string,
    string,
  ];
  await writeFile(extensions, 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n');
  await openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', `/CN=${name}`);
  await openssl(
    'x509',
    '-req',
    '-in',
    request,
    '-CA',
    by.cert,
    '-CAkey',
    by.key,
    '-CAcreateserial',
    '-out',
    cert,
    '-days',
    '2',
    '-extfile',
    extensions,
  );
  return { cert, key };
}

async function openssl(...args: string[]): Promise<void> {
  await promisify(execFile)('openssl', args);
}

/** An etcd with the users `root` and `limited`, who has access to /registry/ only. */
async function withUsers(): Promise<RunningEtcd> {
  const etcd = await startEtcd({ args: ['--bcrypt-cost=4'] });
  disposals.push(etcd.stop);
  const member = new EtcdMember(etcd.endpoint, {});
  const deadline = performance.now() + 10_000;
  const manage = (rpc: string, fill: (writer: MessageWriter) => MessageWriter) =>
    member.call(management(rpc), fill, {}, deadline);
  await member.whenReady(deadline);
  for (const role of ['root', 'limited']) {
    await manage('RoleAdd', (writer) => strings(writer, role));
    await manage('UserAdd', (writer) => strings(writer, role, 'secret'));
    await manage('UserGrantRole', (writer) => strings(writer, role, role));
  }
  const READ_AND_WRITE = 2;
  await manage('RoleGrantPermission', (writer) => {
    const permission = strings(writer, 'limited').uint32(bytesTag(2)).fork().uint32(varintTag(1)).int32(READ_AND_WRITE);
    return permission.uint32(bytesTag(2)).string('/registry/').uint32(bytesTag(3)).string('/registry0').ldelim();
  });
  await manage('AuthEnable', (writer) => writer);
  member.close();
  return etcd;
}

function management(rpc: string): GrpcMethod<(writer: MessageWriter) => MessageWriter, void> {
  return { path: `/etcdserverpb.Auth/${rpc}`, encode: (fill) => finish(fill(write())), decode: () => {} };
}

function strings(writer: MessageWriter, ...values: string[]): MessageWriter {
  for (const [i, value] of values.entries()) writer.uint32(bytesTag(i + 1)).string(value);
  return writer;
}
