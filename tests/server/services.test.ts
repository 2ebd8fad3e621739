import { describe, expect, it } from 'vitest';
import { newNamespace, useServer } from '../support/server.ts';

const under = useServer();

interface Service {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly type: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly ports: readonly { readonly nodePort?: number }[];
  };
}

async function services(): Promise<string> {
  return (await newNamespace(under.client)).replace(/configmaps$/, 'services');
}

async function create(
  path: string,
  name: string,
  spec: object = {},
): Promise<{ status: number; text: string; service: Service }> {
  const body = { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
  const { status, text } = await under.client.send('POST', path, body);
  return { status, text, service: JSON.parse(text) as Service };
}

const message = (text: string) => (JSON.parse(text) as { message: string }).message;

describe('ClusterIPs', () => {
  it('are allocated once each to concurrent requests, until none is left', async () => {
    const path = await services();
    const answers: Awaited<ReturnType<typeof create>>[] = [];
    for (let i = 0; i < 260; i += 20)
      answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, j) => create(path, `s${i + j}`)))));
    const given = answers.filter(({ status }) => status === 201).map(({ service }) => service.spec.clusterIP);
    expect(new Set(given).size).toBe(given.length);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(given.length + refused.length).toBe(260);
    expect(given.length).toBeLessThanOrEqual(254);
    expect(refused[0]?.status).toBe(500);
    expect(message(refused[0]?.text ?? '{}')).toMatch(/failed to allocate a serviceIP for Service "s\d+": range is full/);
    await under.client.send('DELETE', path);
  });

  it('are released when a Service is deleted, or no longer needs one', async () => {
    const path = await services();
    const clusterIP = '10.0.0.9';
    expect((await create(path, 'a', { clusterIP })).status).toBe(201);
    const taken = await create(path, 'b', { clusterIP });
    expect(message(taken.text)).toContain('failed to allocate IP 10.0.0.9: provided IP is already allocated');
    await under.client.send('PATCH', `${path}/a`, { spec: { type: 'ExternalName', externalName: 'a.b' } }, mergePatch);
    expect((await create(path, 'b', { clusterIP })).status).toBe(201);
    await under.client.send('DELETE', `${path}/b`);
    expect((await create(path, 'c', { clusterIP })).status).toBe(201);
    await under.client.send('DELETE', `${path}/c`);
  });

  it('are not allocated by writes that are not stored', async () => {
    const path = await services();
    const spec = { clusterIP: '10.0.0.10' };
    expect((await create(`${path}?dryRun=All`, 'a', spec)).status).toBe(201);
    expect((await create(path, 'A', spec)).status).toBe(422);
    expect((await create(path, 'a', spec)).status).toBe(201);
    await under.client.send('DELETE', `${path}/a`);
  });

  it('are kept by an update without them', async () => {
    const path = await services();
    const { service } = await create(path, 'a', { type: 'NodePort' });
    const body = { ...service, spec: { type: 'NodePort', ports: [{ port: 81 }] } };
    const { text } = await under.client.send('PUT', `${path}/a`, body);
    const updated = JSON.parse(text) as Service;
    expect(updated.spec.clusterIP).toBe(service.spec.clusterIP);
    expect(updated.spec.ports[0]?.nodePort).toBe(service.spec.ports[0]?.nodePort);
  });
});

describe('node ports', () => {
  it.each([
    [{ ports: [{ port: 1, nodePort: 30_001 }] }, 'provided port is already allocated'],
    [{ ports: [{ port: 1, nodePort: 80 }] }, 'provided port is not in the valid range. The range of valid ports is 30000-32767'],
  ])('%j: %s', async (spec, problem) => {
    const path = await services();
    await create(path, 'first', { type: 'NodePort', ports: [{ port: 1, nodePort: 30_001 }] });
    const { text } = await create(path, 'second', { type: 'NodePort', ...spec });
    expect(message(text)).toContain(problem);
    await under.client.send('DELETE', `${path}/first`);
  });

  it('are shared by the protocols of one port', async () => {
    const path = await services();
    const ports = ['TCP', 'UDP'].map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol }));
    const { service } = await create(path, 'dns', { type: 'NodePort', ports });
    expect(service.spec.ports[0]?.nodePort).toBe(service.spec.ports[1]?.nodePort);
  });
});

const mergePatch = { 'content-type': 'application/merge-patch+json' };
