import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webhookClient } from '@tsukube/apiserver';
import { afterAll, describe, expect, it } from 'vitest';
import { issuerClient } from '../../packages/apiserver/src/authentication/oidc/issuer-client.ts';
import { kubeconfigWebhook, readWebhookKubeconfig } from '../../packages/server/src/files/webhook-kubeconfig.ts';
import { GrpcChannel } from '../../packages/storage/src/grpc/channel.ts';
import { type Certificate, caBundle, certificate } from '../support/certificates.ts';

const server = { for: 'server', hosts: ['127.0.0.1', 'localhost'] } as const;
const authority = { for: 'authority' } as const;
const named = (...hosts: string[]) => ({ for: 'server', hosts }) as const;
const root = certificate('root', authority);
const stranger = certificate('stranger', authority);
const intermediate = certificate('intermediate', authority, { issuer: root });
const leaf = certificate('leaf', server, { issuer: root });
const below = certificate('below', server, { issuer: intermediate });
const selfSigned = certificate('self-signed', server);
const signed = (use: Parameters<typeof certificate>[1], options: object = {}) =>
  certificate('localhost', use, { issuer: root, ...options });
const expired = signed(server, { from: -3, until: -1 });
const future = signed(server, { from: 1, until: 3 });

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

function listening(instance: NetServer): Promise<number> {
  closing.push(() => instance.close());
  return new Promise((resolve) => {
    instance.listen(0, '127.0.0.1', () => resolve((instance.address() as AddressInfo).port));
  });
}

/** A TLS server that answers `{}` to every request. */
function serve(...chain: readonly Certificate[]): Promise<number> {
  const [{ key }] = chain as [Certificate];
  const tls = { cert: chain.map(({ pem }) => pem).join(''), key };
  return listening(createServer(tls, (_request, response) => response.end('{}')).on('tlsClientError', () => {}));
}

async function call(url: string, bundle?: string): Promise<string> {
  const client = webhookClient({ url, ...(bundle !== undefined && { caBundle: bundle }) }, () =>
    Promise.reject(new Error('none')),
  );
  try {
    return JSON.stringify(await client.call({ body: '{}', timeoutMs: 5_000 }));
  } catch (error) {
    return (error as Error).message.replace(/:\d+\//, ':PORT/').replace(/\d+-\d+-\d+T[\d:]+Z/g, 'TIME');
  } finally {
    client.close();
  }
}

const refused = (reason: string, host = '127.0.0.1') =>
  `Post "https://${host}:PORT/?timeout=5s": tls: failed to verify certificate: x509: ${reason}`;
const unknown = refused('certificate signed by unknown authority');
const noAddresses = refused("cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs");
const outdated = (how: string) => refused(`certificate has expired or is not yet valid: current time TIME is ${how} TIME`);

describe('the certificates of webhooks', () => {
  it.each<[string, readonly Certificate[], readonly Certificate[]]>([
    ['the root', [leaf], [root]],
    ['the root of a chain', [below, intermediate], [root]],
    ['an intermediate', [below], [intermediate]],
    ['an intermediate that is also sent', [below, intermediate], [intermediate]],
    ['the serving certificate itself', [leaf], [leaf]],
    ['a self-signed serving certificate', [selfSigned], [selfSigned]],
    ['one of several', [leaf], [stranger, leaf, selfSigned]],
  ])('are trusted if the bundle has %s', async (_, chain, bundle) => {
    expect(await call(`https://127.0.0.1:${await serve(...chain)}`, caBundle(...bundle))).toBe('{}');
  });

  it.each<[string, readonly Certificate[], readonly Certificate[], string]>([
    ['another serving certificate is in the bundle', [leaf], [selfSigned], unknown],
    ['another root is in the bundle', [leaf], [stranger], unknown],
    ['a sibling is in the bundle', [leaf], [signed(server)], unknown],
    ['the intermediate is missing', [below], [root], unknown],
    ['the chain ends at another root', [below, intermediate, root], [stranger], unknown],
    ['it is self-signed', [selfSigned], [root], unknown],
    ['it has expired', [expired], [root], outdated('after')],
    ['it is an anchor that has expired', [expired], [expired], outdated('after')],
    ['it is not yet valid', [future], [root], outdated('before')],
    ['it has names only', [signed(named('a.test', 'b.test'))], [root], noAddresses],
    ['it has a common name only', [signed(named())], [root], noAddresses],
    [
      'it has other addresses',
      [signed(named('10.1.2.3', 'localhost'))],
      [root],
      refused('certificate is valid for 10.1.2.3, not 127.0.0.1'),
    ],
  ])('are refused if %s', async (_, chain, bundle, expected) => {
    expect(await call(`https://127.0.0.1:${await serve(...chain)}`, caBundle(...bundle))).toBe(expected);
  });

  it.each<[string, Certificate, string]>([
    ['other names', signed(named('a.test', 'b.test')), 'certificate is valid for a.test, b.test, not localhost'],
    [
      'addresses and a common name',
      signed(named('127.0.0.1')),
      'certificate is not valid for any names, but wanted to match localhost',
    ],
  ])('must have the name, not %s, even as a trust anchor', async (_, own, reason) => {
    const port = await serve(own);
    for (const anchor of [root, own])
      expect(await call(`https://localhost:${port}`, caBundle(anchor))).toBe(refused(reason, 'localhost'));
  });

  it('need a system CA without a bundle', async () => {
    expect(await call(`https://127.0.0.1:${await serve(leaf)}`)).toBe(unknown);
  });

  it('without TLS or a server, the connection error is reported', async () => {
    const tcp = createTcpServer((socket) => {
      socket.on('error', () => {}).on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n', () => socket.destroy()));
    });
    const port = await listening(tcp);
    const post = `Post "https://127.0.0.1:PORT/?timeout=5s": `;
    expect(await call(`https://127.0.0.1:${port}`)).toBe(`${post}http: server gave HTTP response to HTTPS client`);
    await new Promise((resolve) => tcp.close(resolve));
    expect(await call(`https://127.0.0.1:${port}`)).toBe(`${post}dial tcp 127.0.0.1:${port}: connect: connection refused`);
  });
});

describe('a bundle with the serving certificate', () => {
  it.each([
    ['is trusted', leaf, 200],
    ['is refused if it is another one', selfSigned, 'unable to get local issuer certificate'],
  ])('%s by clients of issuers', async (_, { pem }, expected) => {
    const url = `https://127.0.0.1:${await serve(leaf)}`;
    expect(
      await issuerClient(pem)
        .get(url)
        .then(
          ({ status }) => status,
          ({ message }) => message,
        ),
    ).toBe(expected);
  });

  it.each([
    ['is trusted', leaf, 200],
    ['is refused if it is another one', selfSigned, 'unable to get local issuer certificate'],
  ])('%s by clients of webhooks in kubeconfigs', async (_, anchor, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'webhook-'));
    const url = `https://127.0.0.1:${await serve(leaf)}`;
    const cluster = `{ server: "${url}", certificate-authority-data: ${caBundle(anchor)} }`;
    writeFileSync(
      join(folder, 'kubeconfig'),
      `clusters: [{ name: c, cluster: ${cluster} }]\ncontexts: [{ name: c, context: { cluster: c } }]\ncurrent-context: c\n`,
    );
    const client = kubeconfigWebhook(await readWebhookKubeconfig(join(folder, 'kubeconfig')));
    expect(
      await client.post('{}').then(
        ({ status }) => status,
        ({ message }) => message,
      ),
    ).toBe(expected);
    client.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['is trusted', leaf, 'connected'],
    ['is refused if it is another one', selfSigned, 'unable to get local issuer certificate'],
  ])('%s by connections to etcd', async (_, anchor, expected) => {
    const port = await listening(createSecureServer({ cert: leaf.pem, key: leaf.key }));
    const connection = new GrpcChannel({
      url: `https://127.0.0.1:${port}`,
      tls: { ca: Buffer.from(anchor.pem) },
      unreachable: (cause) => cause as Error,
      failed: ({ details }) => new Error(details),
    });
    const outcome = await connection.whenReady(performance.now() + 2_000).then(
      () => 'connected',
      (error: Error) => error.message,
    );
    expect(outcome).toBe(expected);
    connection.close();
  });
});
