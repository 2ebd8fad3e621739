import { describe, expect, it } from 'vitest';
import type { Any, Client } from '../support/client.ts';
import { type ServerUnderTest, useServer } from '../support/server.ts';

const kubelet = { 'impersonate-user': 'system:node:n1', 'impersonate-group': 'system:nodes' };
const merge = { 'content-type': 'application/merge-patch+json' };
const core = '/api/v1/namespaces/default';
const settings = { controllers: [] };

async function make(client: Client, path: string, object: object): Promise<Any> {
  const { status, body } = await client.send('POST', path, object);
  expect({ status, message: body.message }).toEqual({ status: 201, message: undefined });
  return body;
}

const pod = (name: string, nodeName: string, volumes: object[] = []) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName,
    serviceAccountName: 'app',
    automountServiceAccountToken: false,
    volumes,
    containers: [{ name: 'c', image: 'i' }],
  },
});
const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'app' } };
const secretPod = pod('thief', 'n1', [{ name: 'v', secret: { secretName: 's' } }]);

describe('tokens for nodes', () => {
  const t = useServer(settings);

  const tokenStatus = async (bound: Any, audiences: readonly string[]) => {
    const { name, uid } = bound.metadata;
    const { status, body } = await t.client.send(
      'POST',
      `${core}/serviceaccounts/app/token`,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } },
      },
      kubelet,
    );
    return status === 201 ? body.spec.audiences : status;
  };

  it('have the audiences of volumes and CSI drivers, and those that roles permit', async () => {
    await make(t.client, `${core}/serviceaccounts`, account);
    await make(t.client, '/apis/storage.k8s.io/v1/csidrivers', {
      metadata: { name: 'driver.example.com' },
      spec: { tokenRequests: [{ audience: 'store' }] },
    });
    await make(t.client, '/apis/storage.k8s.io/v1/csidrivers', {
      metadata: { name: 'ebs.csi.aws.com' },
      spec: { tokenRequests: [{ audience: 'blocks' }] },
    });
    await make(t.client, '/api/v1/persistentvolumes', {
      metadata: { name: 'v' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'driver.example.com', volumeHandle: 'h' },
      },
    });
    await make(t.client, `${core}/persistentvolumeclaims`, {
      metadata: { name: 'c' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeName: 'v',
        storageClassName: '',
      },
    });
    const token = (audience?: string) => ({ projected: { sources: [{ serviceAccountToken: { path: 't', audience } }] } });
    const projected = await make(
      t.client,
      `${core}/pods`,
      pod('projected', 'n1', [
        { name: 'a', ...token('vault') },
        { name: 'b', ...token() },
      ]),
    );
    const claimed = await make(
      t.client,
      `${core}/pods`,
      pod('claimed', 'n1', [{ name: 'a', persistentVolumeClaim: { claimName: 'c' } }]),
    );
    const inline = await make(
      t.client,
      `${core}/pods`,
      pod('inline', 'n1', [{ name: 'a', csi: { driver: 'driver.example.com' } }]),
    );
    const migrated = await make(
      t.client,
      `${core}/pods`,
      pod('migrated', 'n1', [{ name: 'a', awsElasticBlockStore: { volumeID: 'vol-1' } }]),
    );
    const elsewhere = await make(t.client, `${core}/pods`, pod('elsewhere', 'n2', [{ name: 'a', ...token('vault') }]));
    expect(await tokenStatus(projected, ['vault'])).toEqual(['vault']);
    expect(await tokenStatus(projected, [])).toHaveLength(1);
    expect(await tokenStatus(projected, ['store'])).toBe(403);
    expect(await tokenStatus(claimed, ['store'])).toEqual(['store']);
    expect(await tokenStatus(inline, ['store'])).toEqual(['store']);
    expect(await tokenStatus(inline, [])).toBe(403);
    expect(await tokenStatus(migrated, ['blocks'])).toEqual(['blocks']);
    expect(await tokenStatus(elsewhere, ['vault'])).toBe(403);

    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await make(t.client, `${rbac}/clusterroles`, {
      metadata: { name: 'audiences' },
      rules: [
        { apiGroups: [''], resources: ['registry'], resourceNames: ['app'], verbs: ['request-serviceaccounts-token-audience'] },
      ],
    });
    await make(t.client, `${rbac}/clusterrolebindings`, {
      metadata: { name: 'audiences' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'audiences' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
    });
    expect(await tokenStatus(inline, ['registry'])).toEqual(['registry']);
    expect(await tokenStatus(inline, ['other'])).toBe(403);
  });
});

describe('nodes', () => {
  const t = useServer(settings);

  it('cannot read Secrets by creating pods that reference them', async () => {
    await make(t.client, `${core}/serviceaccounts`, account);
    await make(t.client, `${core}/secrets`, { metadata: { name: 's' }, stringData: { a: 'b' } });
    expect((await t.client.send('POST', `${core}/pods`, secretPod, kubelet)).status).toBe(403);
    expect((await t.client.get(`${core}/secrets/s`, kubelet)).status).toBe(403);
    await make(t.client, `${core}/pods`, secretPod);
    expect((await t.client.get(`${core}/secrets/s`, kubelet)).status).toBe(200);
  });

  it('are users in the group system:nodes', async () => {
    const labels = { metadata: { labels: { 'node-role.kubernetes.io/x': '' } } };
    await make(t.client, '/api/v1/nodes', { metadata: { name: 'n1' } });
    const users = { ...merge, 'impersonate-user': 'system:node:n1', 'impersonate-group': 'system:masters' };
    expect((await t.client.send('PATCH', '/api/v1/nodes/n1', labels, users)).status).toBe(200);
    const { body } = await t.client.send('PATCH', '/api/v1/nodes/n1', { metadata: { labels: null } }, { ...merge, ...kubelet });
    expect(body.message).toBe('nodes "n1" is forbidden: is not allowed to modify labels: node-role.kubernetes.io/x');
  });
});

describe('removed API versions', () => {
  const t = useServer(settings);
  /** CN=system:node:n1, O=system:nodes */
  const request = Buffer.from(
    `-----BEGIN CERTIFICATE REQUEST-----\n${'MIHsMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lzdGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARLr4hyaKCeLnf3wNgeu5InFnJS0bNeEH32Taz+EN0IZwfRhbXa9UX5jzotvUt1mxALhRGuB+rQ2XRckD+ehYaPoAAwCgYIKoZIzj0EAwIDSQAwRgIhAO/Gk8wgErZ2+jUSwbmGeQBQ+b69gvu91SXdo31t8ArmAiEAzyAfkf09OfOwTugMuv1AWh+fyrblRWryO9BcQeNCMbI='}\n-----END CERTIFICATE REQUEST-----\n`,
  ).toString('base64');

  it.each([
    ['n2', 'can only create a node CSR with CN=system:node:n2'],
    ['n1', undefined],
  ])('restrict the certificates of %s, whose signer is inferred', async (node, reason) => {
    const { body } = await t.client.send(
      'POST',
      '/apis/certificates.k8s.io/v1beta1/certificatesigningrequests',
      {
        apiVersion: 'certificates.k8s.io/v1beta1',
        kind: 'CertificateSigningRequest',
        metadata: { name: 'c' },
        spec: { request, usages: ['client auth', 'digital signature'] },
      },
      { ...kubelet, 'impersonate-user': `system:node:${node}` },
    );
    const refusal = reason && `certificatesigningrequests.certificates.k8s.io "c" is forbidden: ${reason}`;
    expect(body.message).toBe(refusal);
  });

  it('restrict Leases', async () => {
    const lease = { apiVersion: 'coordination.k8s.io/v1beta1', kind: 'Lease', metadata: { name: 'n2' } };
    const { status, body } = await t.client.send(
      'POST',
      '/apis/coordination.k8s.io/v1beta1/namespaces/kube-node-lease/leases',
      lease,
      kubelet,
    );
    expect(body.message).toContain('can only access node lease with the same name as the requesting node');
    expect(status).toBe(403);
  });
});

describe('flags', () => {
  const relabel = async ({ client }: ServerUnderTest) => {
    await client.send('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    const labels = { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } };
    return (await client.send('PATCH', '/api/v1/nodes/n1', labels, { ...merge, ...kubelet })).status;
  };

  describe.each([
    ['the default', {}, 403],
    ['--disable-admission-plugins', { disableAdmissionPlugins: ['NodeRestriction'] }, 200],
    ['no Node authorizer', { authorizationMode: ['AlwaysAllow'] }, 200],
    ['no Node authorizer, but enabled', { authorizationMode: ['AlwaysAllow'], enableAdmissionPlugins: ['NodeRestriction'] }, 403],
    ['--admission-control', { admissionControl: ['NodeRestriction'] }, 403],
    ['--admission-control without it', { admissionControl: ['Priority'] }, 200],
  ] as const)('%s', (_title, options, expected) => {
    const t = useServer({ ...settings, ...options });
    it(`answers ${expected}`, async () => expect(await relabel(t)).toBe(expected));
  });
});
