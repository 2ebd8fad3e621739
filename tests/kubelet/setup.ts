import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { type RunningServer, type StartOptions, startServer } from '@tsukube/server';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { type KubeletOptions, type StandInKubelet, startKubelet } from '../support/kubelet/index.ts';
import { sourceWorkerFile } from '../support/worker-file.ts';

/** The kubeconfig of another API server that the same tests are run against, such as a kube-apiserver. */
const peer = process.env.RUN_AGAINST;
export const isPeer = peer !== undefined;

export interface NodeUnderTest {
  readonly kubelet: StandInKubelet;
  readonly client: Client;
  readonly kubeconfig: string;
  /** Undefined for a peer. */
  readonly server: RunningServer | undefined;
  /** The namespace of the tests. */
  readonly namespace: string;
  /** The path of the pods in it. */
  readonly pods: string;
  readonly node: string;
}

let count = 0;

/** An address of this host that proxies may connect to; undefined if there is none. */
export const hostAddress: string | undefined = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

/** Starts a kubelet, and a server with a node, and in a namespace of its own the pod `web` with the container `c` on that node. */
export function useNode(options: KubeletOptions = {}, serverOptions: StartOptions = {}): NodeUnderTest {
  const name = `kubelet-${process.pid}-${count++}`;
  let kubelet: StandInKubelet;
  let server: RunningServer | undefined;
  let kubeconfig: string;
  let client: Client;
  const pods = `/api/v1/namespaces/${name}/pods`;
  beforeAll(async () => {
    kubelet = await startKubelet(options);
    if (peer === undefined)
      server = await startServer({
        storage: 'memory',
        securePort: 0,
        offload: { workerFile: sourceWorkerFile },
        ...serverOptions,
      });
    kubeconfig = server?.kubeconfig ?? readFileSync(peer as string, 'utf8');
    client = clientFor(kubeconfig);
    await create(client, '/api/v1/namespaces', { kind: 'Namespace', metadata: { name } });
    const account = { kind: 'ServiceAccount', metadata: { name: 'default' } };
    await create(client, `/api/v1/namespaces/${name}/serviceaccounts`, account);
    await createNode(client, name, options.host ?? '127.0.0.1', kubelet.port);
    await createPod(client, pods, podOn('web', name));
  });
  afterAll(async () => {
    await client.send('DELETE', `/api/v1/nodes/${name}`);
    await client.send('DELETE', `/api/v1/namespaces/${name}`);
    client.close();
    await server?.close();
    await kubelet.close();
  });
  return {
    get kubelet() {
      return kubelet;
    },
    get client() {
      return client;
    },
    get kubeconfig() {
      return kubeconfig;
    },
    get server() {
      return server;
    },
    namespace: name,
    pods,
    node: name,
  };
}

export async function create(client: Client, path: string, object: object): Promise<void> {
  const { status, text } = await client.send('POST', path, { apiVersion: 'v1', ...object });
  expect([201, 409], text).toContain(status);
}

export function podOn(name: string, nodeName: string, containers: readonly string[] = ['c'], ports: readonly number[] = []) {
  const portsOf = ports.map((containerPort) => ({ containerPort }));
  return {
    kind: 'Pod',
    metadata: { name },
    spec: {
      nodeName,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: containers.map((each) => ({ name: each, image: 'i', ports: portsOf })),
    },
  };
}

/** Creates a running pod. kubectl attaches only to those. */
export async function createPod(client: Client, pods: string, pod: ReturnType<typeof podOn>, podIP = '10.1.2.3'): Promise<void> {
  await create(client, pods, pod);
  const running = pod.spec.containers.map(({ name }) => ({
    name,
    ready: true,
    restartCount: 1,
    image: 'i',
    imageID: 'i',
    state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
    lastState: { terminated: { exitCode: 0 } },
  }));
  const conditions = [{ type: 'Ready', status: 'True' }];
  const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions, containerStatuses: running };
  await patchStatus(client, `${pods}/${pod.metadata.name}`, status);
}

export async function createNode(client: Client, name: string, host: string, port: number, more: object = {}): Promise<void> {
  await create(client, '/api/v1/nodes', { kind: 'Node', metadata: { name } });
  const addresses = [{ type: 'InternalIP', address: host }];
  await patchStatus(client, `/api/v1/nodes/${name}`, {
    addresses,
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    ...more,
  });
}

async function patchStatus(client: Client, path: string, status: object): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  const { status: code, text } = await client.send('PATCH', `${path}/status`, { status }, headers);
  expect(code, text).toBe(200);
}
