import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiObject, KubeClient, type UntypedObject } from '@tsukube/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeOf } from '../docs/documents.ts';
import { type ExampleProcess, startProgram } from '../sdk/example-process.ts';
import { useServer } from '../support/server.ts';

/** The same test with another API server: CLIENT_PEER is the path of its kubeconfig. */
const peer = process.env.CLIENT_PEER;
const namespace = `foo-${process.pid}`;
const port = 20_000 + (process.pid % 10_000);
const poll = { timeout: 15_000, interval: 50 };

const t = useServer();
let folder: string;
let client: KubeClient;
let program: ExampleProcess;

beforeAll(async () => {
  const kubeconfig = peer ? readFileSync(peer, 'utf8') : t.server.kubeconfig;
  client = await KubeClient.load({ kubeconfig, rateLimit: false });
  await client.resource('v1/namespaces').create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} });
  folder = mkdtempSync(join(tmpdir(), 'tsukube-foo-'));
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, kubeconfig.replace('context:\n', `context:\n    namespace: ${namespace}\n`));
  program = await startProgram(placeOf('examples/controllers/foo/controller.ts'), { KUBECONFIG: file, PORT: String(port) });
}, 60_000);

afterAll(async () => {
  await program?.stop();
  await client?.resource('v1/namespaces').delete(namespace);
  await client?.resource('apiextensions.k8s.io/v1/customresourcedefinitions').delete('foos.samplecontroller.k8s.io');
  client?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Foo extends ApiObject {
  spec: { deploymentName: string; replicas: number };
  status?: { availableReplicas: number };
}
const foo = (name: string, deploymentName: string): Foo => ({
  apiVersion: 'samplecontroller.k8s.io/v1alpha1',
  kind: 'Foo',
  metadata: { name },
  spec: { deploymentName, replicas: 1 },
});

describe('the Foo controller', () => {
  const foos = () => client.resource<Foo>('samplecontroller.k8s.io/v1alpha1/foos', { namespace });
  const deployments = () => client.resource('apps/v1/deployments', { namespace });
  const replicasOf = async (name: string) =>
    (
      await deployments()
        .get(name)
        .catch(() => undefined)
    )?.spec.replicas;
  const reasons = async (about: string) => {
    const { items } = await client.resource('events.k8s.io/v1/events', { namespace }).list();
    return items.filter(({ regarding }) => regarding?.name === about).map(({ reason }) => reason);
  };

  it('is typed', () => {
    const tsc = placeOf('node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', placeOf('examples/controllers')], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it('keeps a Deployment', async () => {
    await foos().create(foo('a', 'web'));
    await expect.poll(() => replicasOf('web'), poll).toBe(1);
    await expect.poll(async () => (await foos().get('a')).status, poll).toEqual({ availableReplicas: 0 });
    await expect.poll(() => reasons('a'), poll).toEqual(['Synced']);
    await foos().patch('a', { type: 'merge', patch: { spec: { replicas: 3 } } });
    await expect.poll(() => replicasOf('web'), poll).toBe(3);
    await deployments().patch('web', { type: 'merge', patch: { spec: { replicas: 1 } } });
    await expect.poll(() => replicasOf('web'), poll).toBe(3);
    const status = { replicas: 3, readyReplicas: 2, availableReplicas: 2 };
    await deployments().subresource('web', 'status').patch({ type: 'merge', patch: { status } });
    await expect.poll(async () => (await foos().get('a')).status, poll).toEqual({ availableReplicas: 2 });
    await deployments().delete('web');
    await expect.poll(() => replicasOf('web'), poll).toBe(3);
  });

  it('does not adopt a Deployment of another owner', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    await deployments().create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'other' }, spec });
    await foos().create(foo('b', 'other'));
    await expect.poll(() => reasons('b'), poll).toEqual(['ErrResourceExists']);
    expect((await deployments().get('other')).metadata.ownerReferences).toBeUndefined();
  });

  it('is ready, has metrics, and gives its lease back', async () => {
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    expect(await get('/readyz')).toBe('ok\n');
    expect(await get('/metrics')).toMatch(/controller_runtime_reconcile_total\{controller="foo-controller",result="error"\} \d/);
    const lease = () =>
      client.resource<UntypedObject & { spec: object }>('coordination.k8s.io/v1/leases', { namespace }).get('foo-controller');
    expect((await lease()).spec).toMatchObject({ holderIdentity: expect.stringMatching(/^foo-controller-\d+$/) });
    expect(await program.stop()).toBe(0);
    expect((await lease()).spec).toMatchObject({ holderIdentity: '' });
  });
});
