import { describe, expect, it, vi } from 'vitest';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';

const t = useServer({
  advertiseAddress: '192.0.2.7',
  serviceClusterIpRange: ['10.9.0.0/24'],
  serviceNodePortRange: '31000-31003',
});

const read = async (path: string): Promise<Any> => {
  const { status, body, text } = await t.client.get(path);
  if (status !== 200) throw new Error(text);
  return body;
};
const eventually = (path: string): Promise<Any> => vi.waitFor(() => read(path), 5000);
const service = '/api/v1/namespaces/default/services/kubernetes';
const port = () => Number(new URL(t.server.url).port);

describe('the objects that a server creates about itself', () => {
  it('the Service kubernetes', async () => {
    const { metadata, spec } = await eventually(service);
    expect(metadata.labels).toEqual({ component: 'apiserver', provider: 'kubernetes' });
    expect(spec).toMatchObject({
      clusterIP: '10.9.0.1',
      clusterIPs: ['10.9.0.1'],
      type: 'ClusterIP',
      ipFamilyPolicy: 'SingleStack',
    });
    expect(spec.ports).toEqual([{ name: 'https', protocol: 'TCP', port: 443, targetPort: port() }]);
  });

  it('the Endpoints and EndpointSlice of the Service', async () => {
    const { metadata, subsets } = await eventually('/api/v1/namespaces/default/endpoints/kubernetes');
    const ports = [{ name: 'https', port: port(), protocol: 'TCP' }];
    expect(metadata.labels).toEqual({ 'endpointslice.kubernetes.io/skip-mirror': 'true' });
    expect(subsets).toEqual([{ addresses: [{ ip: '192.0.2.7' }], ports }]);
    const slice = await eventually('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
    expect(slice).toMatchObject({
      addressType: 'IPv4',
      ports,
      endpoints: [{ addresses: ['192.0.2.7'], conditions: { ready: true } }],
    });
    expect(slice.metadata.labels).toEqual({ 'kubernetes.io/service-name': 'kubernetes' });
  });

  it('the ServiceCIDR and IPAddresses', async () => {
    const cidr = await eventually('/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
    expect(cidr.spec.cidrs).toEqual(['10.9.0.0/24']);
    expect(cidr.status.conditions).toMatchObject([
      { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes default Service CIDR is ready' },
    ]);
    const address = await eventually('/apis/networking.k8s.io/v1/ipaddresses/10.9.0.1');
    expect(address.spec).toEqual({ parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } });
    expect(address.metadata.labels).toEqual({
      'ipaddress.kubernetes.io/ip-family': 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    });
  });

  it('its identity Lease', async () => {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    const lease = await vi.waitFor(async () => {
      const { items } = await read(`${leases}?labelSelector=apiserver.kubernetes.io/identity%3Dkube-apiserver`);
      expect(items).toHaveLength(1);
      return items[0];
    }, 5000);
    expect(lease.metadata.name).toMatch(/^apiserver-[a-z2-7]{26}$/);
    expect(lease.metadata.annotations).toEqual({ 'kubernetes.io/peer-advertise-address': `192.0.2.7:${port()}` });
    expect(lease.spec).toMatchObject({ leaseDurationSeconds: 3600 });
    expect(lease.spec.holderIdentity.startsWith(`${lease.metadata.name}_`)).toBe(true);
  });

  it('the ConfigMap extension-apiserver-authentication', async () => {
    const { data } = await eventually('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
    expect(data['client-ca-file']).toBe(t.client.tls.ca.toString());
    const tracking = '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking';
    expect((await eventually(tracking)).data.since).toBe(new Date().toISOString().slice(0, 10));
  });

  it('are recreated when they are deleted', async () => {
    const { uid } = (await eventually(service)).metadata;
    await t.client.send('DELETE', service);
    await t.client.send('DELETE', '/api/v1/namespaces/default/endpoints/kubernetes');
    await vi.waitFor(async () => expect((await read(service)).metadata.uid).not.toBe(uid), 5000);
    expect((await read(service)).spec.clusterIP).toBe('10.9.0.1');
    await eventually('/api/v1/namespaces/default/endpoints/kubernetes');
  });
});

describe('the ClusterIP of a Service', () => {
  const services = '/api/v1/namespaces/default/services';
  const addressOf = (ip: string) => t.client.get(`/apis/networking.k8s.io/v1/ipaddresses/${ip}`);
  const create = (name: string, spec: object = {}, query = '') =>
    t.client.send('POST', `${services}${query}`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...spec },
    });

  it('has an IPAddress object as long as the Service has it', async () => {
    const { body } = await create('a');
    const { body: address } = await addressOf(body.spec.clusterIP);
    expect(address.spec.parentRef).toEqual({ resource: 'services', namespace: 'default', name: 'a' });
    await t.client.send('DELETE', `${services}/a`);
    expect((await addressOf(body.spec.clusterIP)).status).toBe(404);
  });

  it('is not allocated if the Service is refused, or in a dry run', async () => {
    const clusterIP = '10.9.0.200';
    expect((await create('tried', { clusterIP }, '?dryRun=All')).status).toBe(201);
    expect((await addressOf(clusterIP)).status).toBe(404);
    expect((await create('refused', { clusterIP, ports: [] })).status).toBe(422);
    expect((await addressOf(clusterIP)).status).toBe(404);
  });

  it('is not allocated if its IPAddress object already exists', async () => {
    const spec = { parentRef: { resource: 'services', namespace: 'elsewhere', name: 'x' } };
    const address = { apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { name: '10.9.0.201' }, spec };
    expect((await t.client.send('POST', '/apis/networking.k8s.io/v1/ipaddresses', address)).status).toBe(201);
    const { status, text } = await create('b', { clusterIP: '10.9.0.201' });
    expect([status, text]).toEqual([422, expect.stringContaining('provided IP is already allocated')]);
  });

  it('comes from any ready ServiceCIDR', async () => {
    const cidrs = '/apis/networking.k8s.io/v1/servicecidrs';
    const cidr = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: 'more' },
      spec: { cidrs: ['10.8.0.0/28'] },
    };
    const { body } = await t.client.send('POST', cidrs, cidr);
    expect((await create('c', { clusterIP: '10.8.0.5' })).status).toBe(422);
    const conditions = [{ type: 'Ready', status: 'True', reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }];
    await t.client.send('PUT', `${cidrs}/more/status`, { ...body, status: { conditions } });
    expect((await create('c', { clusterIP: '10.8.0.5' })).status).toBe(201);
  });
});

describe('a node port', () => {
  it('comes from --service-node-port-range, until it is exhausted, and is released', async () => {
    const services = '/api/v1/namespaces/default/services';
    const create = (name: string) =>
      t.client.send('POST', services, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      });
    const made = await Promise.all(['n1', 'n2', 'n3', 'n4', 'n5'].map(create));
    const ports = made.filter(({ status }) => status === 201).map(({ body }) => body.spec.ports[0].nodePort);
    expect(ports.sort()).toEqual([31000, 31001, 31002, 31003]);
    expect(made.filter(({ status }) => status === 500)).toHaveLength(1);
    const [first] = made.filter(({ status }) => status === 201);
    await t.client.send('DELETE', `${services}/${first?.body.metadata.name}`);
    expect((await create('n6')).body.spec.ports[0].nodePort).toBe(first?.body.spec.ports[0].nodePort);
  });
});
