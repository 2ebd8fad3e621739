import { KubeClient, loadConfig, ManualTiming } from '@tsukube/client';
import { type RegisterOptions, register } from '@tsukube/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hostAddress } from '../kubelet/setup.ts';
import { answerJson, startBackend } from '../support/aggregated-backend.ts';
import { useServer } from '../support/server.ts';

const t = useServer();
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

let count = 0;

/** Registers a backend, with a group and a Service of its own. */
async function registered(options: Partial<RegisterOptions> = {}) {
  const service = `registered-${count++}`;
  const group = `${service}.example.com`;
  const host = options.service?.host === undefined && hostAddress ? hostAddress : '127.0.0.1';
  const start = async () => {
    const handle = (_: unknown, response: Parameters<typeof answerJson>[0]) => answerJson(response, 200, { items: [] });
    const backend = await startBackend({ group, service, host, handle });
    open.push(backend);
    const registration = await register({
      kubeconfig: t.server.kubeconfig,
      apis: [{ group, version: 'v1' }],
      port: backend.port,
      ca: () => Buffer.from(backend.caBundle, 'base64').toString(),
      ...options,
      service: { namespace: 'default', ...options.service, name: service },
    });
    open.push(registration);
    return { backend, registration };
  };
  return { service, group, start };
}

const objects = (group: string, service: string) => ({
  api: `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`,
  service: `/api/v1/namespaces/default/services/${service}`,
  slices: `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name=${service}`,
});
const slicesAt = async (path: string) => (await t.client.get(path)).body.items as { metadata: { name: string } }[];
const inherited: RegisterOptions['service'] = { namespace: 'default', name: '' };

describe.runIf(hostAddress)('registration by address', () => {
  it('creates a Service, an EndpointSlice and an APIService, and removes the slice on close', async () => {
    const { service, group, start } = await registered();
    const { backend, registration } = await start();
    await registration.available();
    const paths = objects(group, service);
    const { body } = await t.client.get(paths.service);
    expect(body.spec).toMatchObject({ type: 'ClusterIP', ports: [{ name: 'https', port: 443, targetPort: 'https' }] });
    expect(body.spec.selector).toBeUndefined();
    expect(await slicesAt(paths.slices)).toMatchObject([
      { endpoints: [{ addresses: [hostAddress], conditions: { ready: true } }], ports: [{ name: 'https', port: backend.port }] },
    ]);
    expect((await t.client.get(paths.api)).body.spec).toMatchObject({
      service: { namespace: 'default', name: service, port: 443 },
      caBundle: backend.caBundle,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
    });
    expect((await t.client.get(`/apis/${group}/v1/flunders`)).body).toEqual({ items: [] });
    await registration.close();
    expect([await slicesAt(paths.slices), (await t.client.get(paths.api)).status]).toEqual([[], 200]);
  });

  it('recreates deleted objects', async () => {
    const { service, group, start } = await registered();
    const { registration } = await start();
    await registration.available();
    const { api, service: own, slices } = objects(group, service);
    const [slice] = await slicesAt(slices);
    const paths = [api, own, `${slices.split('?')[0]}/${slice?.metadata.name}`];
    for (const path of paths) {
      const { body } = await t.client.get(path);
      expect((await t.client.send('DELETE', path)).status).toBe(200);
      const isBack = async () => {
        const again = await t.client.get(path);
        expect(again.status).toBe(200);
        expect(again.body.metadata.uid).not.toBe(body.metadata.uid);
      };
      await vi.waitFor(isBack, { timeout: 10_000, interval: 20 });
    }
    await registration.available();
  });

  it('has a slice for each replica, and removes those of replicas that were killed', async () => {
    const timing = new ManualTiming(Date.now());
    const client = new KubeClient(await loadConfig({ kubeconfig: t.server.kubeconfig }), { rateLimit: false, timing });
    const { service, group, start } = await registered({ client });
    const [first, second] = [await start(), await start()];
    const { slices } = objects(group, service);
    const names = async () => (await slicesAt(slices)).map(({ metadata }) => metadata.name.split('-').at(-1)).sort();
    const ports = [first, second].map(({ backend }) => String(backend.port)).sort();
    expect(await names()).toEqual(ports);
    // A slice that is not renewed.
    const orphan = {
      metadata: {
        name: `${service}-dead-1`,
        labels: { 'kubernetes.io/service-name': service, 'endpointslice.kubernetes.io/managed-by': 'tsukube-sdk' },
      },
      addressType: 'IPv4',
      endpoints: [{ addresses: [hostAddress] }],
      ports: [{ name: 'https', port: 1 }],
    };
    expect((await t.client.send('POST', slices.split('?')[0] as string, orphan)).status).toBe(201);
    const bothRefresh = () => Promise.all([first.registration.refresh(), second.registration.refresh()]);
    for (let minute = 0; minute < 4; minute++) {
      await bothRefresh();
      expect(await names()).toEqual(['1', ...ports].sort());
      await timing.advance(29_000);
    }
    await timing.advance(30_000);
    await bothRefresh();
    expect(await names()).toEqual(ports);
    await second.registration.close();
    expect(await names()).toEqual([String(first.backend.port)]);
    await first.registration.close();
    client.close();
  });
});

describe('registration by host', () => {
  it('creates a Service of type ExternalName, and deletes everything on request', async () => {
    const service = { ...inherited, host: 'localhost' };
    const { service: name, group, start } = await registered({ service, unregisterOnClose: true });
    const { backend, registration } = await start();
    await registration.available();
    const paths = objects(group, name);
    expect((await t.client.get(paths.service)).body.spec).toMatchObject({ type: 'ExternalName', externalName: 'localhost' });
    expect((await t.client.get(paths.api)).body.spec.service.port).toBe(backend.port);
    expect(await slicesAt(paths.slices)).toEqual([]);
    await registration.close();
    expect([(await t.client.get(paths.api)).status, (await t.client.get(paths.service)).status]).toEqual([404, 404]);
  });

  it('leaves a Service alone that it does not create', async () => {
    const service = { ...inherited, create: false };
    const { service: name, group, start } = await registered({ service });
    const { registration } = await start();
    const paths = objects(group, name);
    expect([(await t.client.get(paths.service)).status, await slicesAt(paths.slices)]).toEqual([404, []]);
    await expect(registration.available(300)).rejects.toThrow(/ServiceNotFound|not checked/);
  });

  it('renews the CA in the APIService', async () => {
    let ca = 'first';
    const { service: name, group, start } = await registered({ service: { ...inherited, host: 'localhost' }, ca: () => ca });
    const { registration } = await start();
    const bundle = async () => (await t.client.get(objects(group, name).api)).body.spec.caBundle;
    expect(await bundle()).toBe(Buffer.from('first').toString('base64'));
    ca = 'second';
    await registration.refresh();
    expect(await bundle()).toBe(Buffer.from('second').toString('base64'));
  });
});

it('is refused without permissions', async () => {
  const client = new KubeClient(await loadConfig({ kubeconfig: t.server.kubeconfig }), {
    rateLimit: false,
    impersonate: { user: 'nobody' },
  });
  const { start } = await registered({ client });
  await expect(start()).rejects.toThrow(/forbidden: User "nobody" cannot patch resource "services"/);
  client.close();
});
