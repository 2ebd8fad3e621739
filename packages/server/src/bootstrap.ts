import type { ObjectRegistry, Resource } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';

const always = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** The namespaces that exist from the first start. */
export async function createBootstrapNamespaces(
  resources: readonly Resource[],
  registryOf: (resource: Resource) => ObjectRegistry,
): Promise<void> {
  const resource = resources.find(({ names }) => names.plural === 'namespaces');
  if (!resource) return;
  const registry = registryOf(resource);
  await registry.cache.fresh();
  await Promise.all(always.filter((name) => !registry.cache.peek(registry.key('', name))).map((name) => create(registry, name)));
}

async function create(registry: ObjectRegistry, name: string): Promise<void> {
  const object = { kind: 'Namespace', apiVersion: 'v1', metadata: { name }, spec: {}, status: {} };
  const { strategy, hub } = registry.resource;
  const user = { name: 'system:apiserver', groups: ['system:masters'] };
  try {
    await registry.create(object, {
      version: hub,
      user,
      namespace: '',
      subresource: '',
      strategy,
      dryRun: false,
      warn: () => {},
      isOver: () => false,
    });
  } catch (error) {
    // Another replica was faster.
    if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
  }
}
