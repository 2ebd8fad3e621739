import { describe, expect, it, vi } from 'vitest';
import type { Any } from '../support/client.ts';
import { newNamespace, useServer } from '../support/server.ts';

const t = useServer();
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const merge = { 'content-type': 'application/merge-patch+json' };

describe('the availability of APIServices', () => {
  it('is True without a service', async () => {
    const { body } = await t.client.send('POST', apiServices, apiService('local.example.com'));
    expect(body.status.conditions).toMatchObject([{ type: 'Available', status: 'True', reason: 'Local' }]);
  });

  it('depends on the Service, its port and its endpoints', async () => {
    const namespace = (await newNamespace(t.client)).split('/')[4];
    const services = `/api/v1/namespaces/${namespace}/services`;
    const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
    const called = `service/one in "${namespace}"`;
    await t.client.send('POST', apiServices, apiService('remote.example.com', { namespace, name: 'one', port: 443 }));
    await reaches('ServiceNotFound', `${called} is not present`);
    await t.client.send('POST', services, { metadata: { name: 'one' }, spec: { ports: [{ name: 'web', port: 80 }] } });
    await reaches('ServicePortError', `${called} is not listening on port 443`);
    await t.client.send('PATCH', `${services}/one`, { spec: { ports: [{ name: 'web', port: 443 }] } }, merge);
    await reaches('EndpointsNotFound', `cannot find endpointslices for ${called}`);
    await t.client.send('POST', slices, slice('one', false));
    await reaches('MissingEndpoints', `endpointslices for ${called} have no addresses with port name "web"`);
    await t.client.send('PATCH', `${slices}/one`, { endpoints: slice('one', true).endpoints }, merge);
    await reaches('FailedDiscoveryCheck', expect.stringContaining('https://10.0.0.1:8443/apis/remote.example.com/v1'));
  });

  it('depends on Endpoints if there are no EndpointSlices', async () => {
    const namespace = (await newNamespace(t.client)).split('/')[4];
    const group = 'endpoints.example.com';
    await t.client.send('POST', apiServices, apiService(group, { namespace, name: 'old', port: 443 }));
    await t.client.send('POST', `/api/v1/namespaces/${namespace}/services`, {
      metadata: { name: 'old' },
      spec: { ports: [{ port: 443 }] },
    });
    await reaches('EndpointsNotFound', expect.anything(), group);
    const endpoints = `/api/v1/namespaces/${namespace}/endpoints`;
    const subset = (addresses: string) => [{ [addresses]: [{ ip: '10.0.0.9' }], ports: [{ port: 9443 }] }];
    await t.client.send('POST', endpoints, { metadata: { name: 'old' }, subsets: subset('notReadyAddresses') });
    await reaches('MissingEndpoints', expect.anything(), group);
    await t.client.send('PATCH', `${endpoints}/old`, { subsets: subset('addresses') }, merge);
    await t.client.send('PATCH', `${apiServices}/v1.${group}`, { spec: { versionPriority: 11 } }, merge);
    await reaches('FailedDiscoveryCheck', expect.stringContaining(`https://10.0.0.9:9443/apis/${group}/v1`), group);
  });

  it('is True again when the Service reference is removed', async () => {
    const group = 'becomes-local.example.com';
    await t.client.send('POST', apiServices, apiService(group, { namespace: 'default', name: 'nothing', port: 443 }));
    await reaches('ServiceNotFound', expect.anything(), group);
    const spec = { service: null, insecureSkipTLSVerify: null };
    expect((await t.client.send('PATCH', `${apiServices}/v1.${group}`, { spec }, merge)).status).toBe(200);
    await reaches('Local', 'Local APIServices are always available', group, 'True');
  });
});

function apiService(group: string, service?: Any): Any {
  const spec: Any = { group, version: 'v1', groupPriorityMinimum: 10, versionPriority: 10 };
  if (service) Object.assign(spec, { service, insecureSkipTLSVerify: true });
  return { metadata: { name: `v1.${group}` }, spec };
}

function slice(service: string, ready: boolean): Any {
  return {
    metadata: { name: service, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    ports: [{ name: 'web', port: 8443 }],
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
  };
}

async function reaches(reason: string, message: Any, group = 'remote.example.com', status = 'False'): Promise<void> {
  await vi.waitFor(
    async () => {
      const { body } = await t.client.get(`${apiServices}/v1.${group}`);
      expect(body.status.conditions?.[0]).toMatchObject({ type: 'Available', status, reason, message });
    },
    { timeout: 20_000, interval: 20 },
  );
}
