import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { describe, expect, it } from 'vitest';
import { certificate } from '../../support/certificates.ts';
import { type Any, clientFor } from '../../support/client.ts';
import { useServer } from '../../support/server.ts';

const t = useServer();
const polling = { timeout: 10_000, interval: 20 };
const merge = { 'content-type': 'application/merge-patch+json' };
const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

const pem = (content: string) => `-----BEGIN CERTIFICATE REQUEST-----\n${content}\n-----END CERTIFICATE REQUEST-----\n`;
/** O=system:nodes, CN=system:node:n1 */
const node =
  'MIHrMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lzdGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARHFnyHTWT9YKhoxdg8LJR7LHryPeWc+lMAGkKQ0C7iVqr7LyUufNhwD70cuIMBSnHXTaoTWPFLkXkqXsw3XJeYoAAwCgYIKoZIzj0EAwIDSAAwRQIgYa1fVHjX8FgWZa4ZSA7bjFcZBdPVGUoWw/MTUCL1iZUCIQCg+vRUphjsM9Tp2RwkB0VQSaeJKhEB/XgtTzUHqBpujA==';
/** O=dev, O=ops, CN=jane, UID=5, OU=x with a DNS name, an email address, an IP address and a URI */
const jane =
  'MIIBRTCB7AIBADBKMQwwCgYDVQQKDANkZXYxDDAKBgNVBAoMA29wczENMAsGA1UEAwwEamFuZTERMA8GCgmSJomT8ixkAQEMATUxCjAIBgNVBAsMAXgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATis86FfwJlIgoWSWkpZRPZzFfl+OprFaw53qEJC7Ubc2SMBIWROMONxUW1ZDpRViFpAwFwBwv/mrXWaI3L2YGuoEAwPgYJKoZIhvcNAQkOMTEwLzAtBgNVHREEJjAkgglhLmV4YW1wbGWBBWFAYi5jhwQKAAABhgpzcGlmZmU6Ly94MAoGCCqGSM49BAMCA0gAMEUCIQD+L1rj81m/xExOqJkyFwt0TPcltn4U9ec+JTqzzv2uFwIgLcQgjt5BKL3LQwk4QKIGxaSAoPzvfpI+qkH3UwM2qKs=';
/** O=system:nodes, CN=system:node:n1 with a DNS name and an IP address */
const serving =
  'MIIBETCBuAIBADAwMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxFzAVBgNVBAMMDnN5c3RlbTpub2RlOm4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAECwltrLgJeFziS8STL1DFAahbB68ArnSd5tOesi5bAuOvZFKgGIVeBdMvHYjkqSzbkTLTtW3QXs/ilheX/tZ5sqAmMCQGCSqGSIb3DQEJDjEXMBUwEwYDVR0RBAwwCoICbjGHBAoAAAEwCgYIKoZIzj0EAwIDSAAwRQIgRjosUmS9u9H43JDCCNPTWVglyZNcqhr6TFEJUPsEUGECIQDz8fQa346ynbZAXr1quiPHzNQGirURjO3oUeVOwfpWhQ==';

async function create(name: string, content: string, signer: string, usages: readonly string[], more: Any = {}) {
  const { user = 'jane', client = t.client, ...spec } = more;
  const request = Buffer.from(pem(content)).toString('base64');
  const headers = { 'impersonate-user': user, 'impersonate-group': 'system:masters' };
  const object = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: { request, signerName: `kubernetes.io/${signer}`, usages, ...spec },
  };
  const { status, body } = await client.send('POST', path, object, headers);
  expect(status, JSON.stringify(body)).toBe(201);
}

const approve = (name: string, client = t.client) => {
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'approved' }];
  return client.send('PATCH', `${path}/${name}/approval`, { status: { conditions } }, merge);
};
const statusOf = async (name: string, client = t.client) => (await client.get(`${path}/${name}`)).body.status;
const conditionsOf = async (name: string): Promise<string[]> =>
  ((await statusOf(name)).conditions ?? []).map(({ type, reason, message }: Any) => [type, reason, message].join(' '));
const failure = (name: string) => expect.poll(async () => (await conditionsOf(name))[1], polling);
async function issued(name: string, client = t.client): Promise<X509Certificate> {
  await expect.poll(async () => (await statusOf(name, client)).certificate, polling).toBeDefined();
  return new X509Certificate(Buffer.from((await statusOf(name, client)).certificate, 'base64'));
}
const hours = (one: X509Certificate) => (Date.parse(one.validTo) - Date.parse(one.validFrom)) / 3_600_000;

/** The expected values were recorded from kube-controller-manager 1.36.4. */
describe('client certificates of kubelets', () => {
  it.each([
    ['self', 'system:node:n1', 'Auto approving self kubelet client certificate after SubjectAccessReview.'],
    ['other', 'bootstrapper', 'Auto approving kubelet client certificate after SubjectAccessReview.'],
  ])('are approved and signed: %s', async (name, user, message) => {
    await create(name, node, 'kube-apiserver-client-kubelet', ['digital signature', 'client auth'], { user });
    const { subject, keyUsage } = await issued(name);
    expect([subject, keyUsage]).toEqual(['O=system:nodes\nCN=system:node:n1', ['1.3.6.1.5.5.7.3.2']]);
    expect(await conditionsOf(name)).toEqual([`Approved AutoApproved ${message}`]);
  });

  it('are not approved for a user who may not create them', async () => {
    const usages = ['digital signature', 'client auth'];
    const role = {
      metadata: { name: 'requests' },
      rules: [{ apiGroups: ['*'], resources: ['certificatesigningrequests'], verbs: ['*'] }],
    };
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await t.client.send('POST', `${rbac}/clusterroles`, role);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'requests' };
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'john' }];
    await t.client.send('POST', `${rbac}/clusterrolebindings`, { metadata: { name: 'requests' }, roleRef, subjects });
    const request = Buffer.from(pem(node)).toString('base64');
    const spec = { request, signerName: 'kubernetes.io/kube-apiserver-client-kubelet', usages };
    const sent = () => t.client.send('POST', path, { metadata: { name: 'denied' }, spec }, { 'impersonate-user': 'john' });
    await expect.poll(async () => (await sent()).status, polling).toBe(201);
    await create('later', node, 'kube-apiserver-client-kubelet', usages);
    await issued('later');
    expect(await statusOf('denied')).toEqual({});
  });
});

describe('approved requests', () => {
  it('are signed with the requested names, usages and lifetime', async () => {
    await create('api', jane, 'kube-apiserver-client', ['client auth', 'digital signature'], { expirationSeconds: 7200 });
    await approve('api');
    const signed = await issued('api');
    expect(signed.subject.replace(' + ', '+')).toBe('O=dev+O=ops\nOU=x\nCN=jane');
    expect(signed.subjectAltName).toBe('DNS:a.example, email:a@b.c, IP Address:10.0.0.1, URI:spiffe://x');
    expect(signed.ca).toBe(false);
    expect(hours(signed)).toBeCloseTo(2 + 5 / 60);
    await create('serving', serving, 'kubelet-serving', ['digital signature', 'server auth']);
    await approve('serving');
    const other = await issued('serving');
    expect([other.subjectAltName, other.keyUsage]).toEqual(['DNS:n1, IP Address:10.0.0.1', ['1.3.6.1.5.5.7.3.1']]);
    expect(hours(other)).toBeCloseTo(365 * 24);
  });

  it.each([
    [
      'wrong',
      jane,
      'kube-apiserver-client-kubelet',
      ['digital signature', 'client auth'],
      'subject organization is not system:nodes',
    ],
    ['usage', jane, 'kube-apiserver-client', ['server auth'], 'invalid usage for client certificate: server auth'],
    ['none', jane, 'kube-apiserver-client', ['digital signature'], 'missing required usage for client certificate: client auth'],
    ['nameless', node, 'kubelet-serving', ['digital signature', 'server auth'], 'DNS or IP subjectAltName is required'],
    [
      'usages',
      serving,
      'kubelet-serving',
      ['digital signature', 'client auth'],
      'usages did not match [digital signature key encipherment server auth]',
    ],
    [
      'named',
      serving,
      'kube-apiserver-client-kubelet',
      ['digital signature', 'client auth'],
      'DNS subjectAltNames are not allowed',
    ],
  ])('fail if the signer does not accept them: %s', async (name, content, signer, usages, message) => {
    await create(name, content, signer, usages);
    await approve(name);
    await failure(name).toBe(`Failed SignerValidationFailure ${message}`);
    expect((await statusOf(name)).certificate).toBeUndefined();
  });
});

it('certificates are signed by the CA of --cluster-signing-cert-file', async () => {
  const ca = certificate('other-ca', { for: 'authority' }, { until: 1 });
  const [clusterSigningCertFile, clusterSigningKeyFile] = ['crt', 'key'].map((end) =>
    join(tmpdir(), `signing-${process.pid}.${end}`),
  ) as [string, string];
  writeFileSync(clusterSigningCertFile, ca.pem);
  writeFileSync(clusterSigningKeyFile, ca.key);
  const server = await startServer({ storage: 'memory', securePort: 0, clusterSigningCertFile, clusterSigningKeyFile });
  const client = clientFor(server.kubeconfig);
  try {
    await create('api', jane, 'kube-apiserver-client', ['client auth'], { client });
    await approve('api', client);
    const signed = await issued('api', client);
    const authority = new X509Certificate(readFileSync(clusterSigningCertFile));
    expect(signed.verify(authority.publicKey)).toBe(true);
    expect(signed.validTo).toBe(authority.validTo);
  } finally {
    client.close();
    await server.close();
  }
});
