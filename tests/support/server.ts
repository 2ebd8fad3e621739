import { type RunningServer, type StartOptions, startServer } from '@tsukube/server';
import { afterAll, beforeAll } from 'vitest';
import { type Client, clientFor } from './client.ts';
import { sourceWorkerFile } from './worker-file.ts';

export interface ServerUnderTest {
  readonly server: RunningServer;
  readonly client: Client;
}

/** Starts a server in memory for all tests of a file. */
export function useServer(options: StartOptions = {}): ServerUnderTest {
  let server: RunningServer;
  let client: Client;
  beforeAll(async () => {
    const offload = { workerFile: sourceWorkerFile, ...options.offload };
    server = await startServer({ storage: 'memory', securePort: 0, ...options, offload });
    client = clientFor(server.kubeconfig);
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });
  return {
    get server() {
      return server;
    },
    get client() {
      return client;
    },
  };
}

let count = 0;

/** Creates a namespace and returns the path of its ConfigMaps. */
export async function newNamespace(client: Client): Promise<string> {
  const name = `test-${process.pid}-${count++}`;
  const { status, text } = await client.send('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  });
  if (status !== 201) throw new Error(text);
  return `/api/v1/namespaces/${name}/configmaps`;
}

export function configMap(name: string, labels: Record<string, string> = {}, data: Record<string, string> = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data };
}

/** Selects all ConfigMaps except kube-root-ca.crt, which every namespace has. */
export const own = 'fieldSelector=metadata.name!%3Dkube-root-ca.crt';
