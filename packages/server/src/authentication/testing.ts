import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { Agent as HttpAgent, IncomingHttpHeaders } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Authority,
  type CertificateSubject,
  distinguishedName,
  issueCertificate,
  type KeyPair,
  memoryFiles,
  newKey,
  openAuthority,
  type Use,
} from '@tsukube/machinery/pki';

const hour = 3_600_000;

/** Test fixtures: CAs, certificates, files and a client. */
export function newAuthority(name: string): Authority {
  return openAuthority(memoryFiles(), 'ca', name, new Date());
}

export function newCertificate(
  authority: Authority,
  subject: CertificateSubject,
  use: Use = { for: 'client' },
  from = -1,
  to = 1,
): KeyPair {
  const { publicKey, pem } = newKey();
  const [notBefore, notAfter] = [new Date(Date.now() + from * hour), new Date(Date.now() + to * hour)];
  const wanted = { subject: distinguishedName(subject), publicKey, notBefore, notAfter, use };
  return { certificate: issueCertificate(wanted, authority.issuer()), key: pem };
}

/** An intermediate CA. */
export function newIntermediate(root: Authority, commonName: string): { readonly pem: string; readonly authority: Authority } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = distinguishedName({ commonName });
  const times = { notBefore: new Date(Date.now() - hour), notAfter: new Date(Date.now() + hour) };
  const pem = issueCertificate({ subject, publicKey, ...times, use: { for: 'authority' } }, root.issuer());
  const issuer = { subject, key: privateKey, keyIdentifier: undefined };
  return { pem, authority: { ...root, pem, issuer: () => issuer } };
}

const directory = mkdtempSync(join(tmpdir(), 'tsukube-authentication-'));
let files = 0;

export function fileWith(text: string, name = `file-${files++}`): string {
  const path = join(directory, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

export interface Asked {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Question {
  readonly method?: string;
  readonly headers?: Record<string, string | readonly string[]>;
  readonly body?: unknown;
  readonly client?: KeyPair;
  readonly agent?: HttpAgent;
}

export function ask(url: string, { method = 'GET', headers = {}, body, client, agent }: Question = {}): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const typed = payload === undefined ? headers : { 'content-type': 'application/json', ...headers };
    const tls = { rejectUnauthorized: false, cert: client?.certificate, key: client?.key };
    const sent = request(
      url,
      { method, headers: typed as Record<string, string>, agent: (agent as never) ?? false, ...tls },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ status: response.statusCode as number, text: Buffer.concat(chunks).toString(), headers: response.headers });
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}

/** An HTTPS server with a given handler. */
export async function serveHttps(
  certificate: KeyPair,
  answer: (
    path: string,
    body: string,
  ) => { readonly status?: number; readonly body?: unknown; readonly text?: string; readonly headers?: Record<string, string> },
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer({ cert: certificate.certificate, key: certificate.key }, async (asked, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const { status = 200, body, text, headers = {} } = answer(asked.url ?? '', Buffer.concat(chunks).toString());
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(text ?? JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

export function publicPem(privatePem: string): string {
  return createPublicKey(privatePem).export({ format: 'pem', type: 'spki' }).toString();
}

export function adminOf(kubeconfig: string): KeyPair {
  const data = (name: string) => Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64').toString();
  return { certificate: data('client-certificate-data'), key: data('client-key-data') };
}
