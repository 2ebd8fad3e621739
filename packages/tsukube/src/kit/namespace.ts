import { type KubernetesObject, type TestNamespace, TsukubeManifestError } from '../index.ts';
import type { Baseline } from './baseline.ts';
import type { HttpsClient } from './https-client.ts';

const accountWaitMs = 2_000;
const pollMs = 1;

/** A namespace with a generated name, with its default ServiceAccount where a controller creates one. */
export async function createNamespace(
  client: HttpsClient,
  baseline: Baseline | undefined,
  prefix: string,
  createsAccounts: boolean,
): Promise<TestNamespace> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: `${prefix}-` } };
  const response = await client.fetch('/api/v1/namespaces', { method: 'POST', body });
  const answer = (await response.json()) as KubernetesObject;
  if (!response.ok)
    throw new TsukubeManifestError(`namespace(${JSON.stringify(prefix)}): ${answer.message}`, {
      source: 'namespace',
      status: answer,
    });
  const name = answer.metadata?.name as string;
  if (createsAccounts) await accountCreated(client, name);
  const remove = async () => {
    if (baseline !== undefined) await baseline.removeNamespace(name);
    else await (await client.fetch(`/api/v1/namespaces/${name}`, { method: 'DELETE' })).arrayBuffer();
  };
  return { name, delete: remove, toString: () => name, [Symbol.asyncDispose]: remove };
}

/** Pods are rejected before it exists. */
async function accountCreated(client: HttpsClient, namespace: string): Promise<void> {
  const deadline = Date.now() + accountWaitMs;
  while (Date.now() < deadline) {
    const response = await client.fetch(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    await response.arrayBuffer();
    if (response.ok) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
