import type { ObjectRegistry, Resource, WriteContext } from '@tsukube/apiserver';
import { deepCopy, type JsonObject, StatusError } from '@tsukube/machinery';

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map(
  (name): JsonObject => ({ kind: 'Namespace', apiVersion: 'v1', metadata: { name }, spec: {}, status: {} }),
);

/** Creates what exists from the first start and is not there: namespaces, and what kinds bring with them. */
export async function createInitialObjects(
  resources: readonly Resource[],
  registryOf: (resource: Resource) => ObjectRegistry,
): Promise<void> {
  const initial = resources.map((resource) => ({
    registry: registryOf(resource),
    objects: resource.names.plural === 'namespaces' ? namespaces : (resource.initialObjects ?? []),
  }));
  await Promise.all(initial.map(({ registry, objects }) => createMissing(registry, objects)));
}

async function createMissing(registry: ObjectRegistry, objects: readonly JsonObject[]): Promise<void> {
  if (objects.length === 0) return;
  await registry.cache.fresh();
  const missing = objects.filter((object) => !registry.cache.peek(registry.key('', nameOf(object))));
  await Promise.all(missing.map((object) => create(registry, deepCopy(object) as JsonObject)));
}

function nameOf(object: JsonObject): string {
  return (object.metadata as JsonObject).name as string;
}

async function create(registry: ObjectRegistry, object: JsonObject): Promise<void> {
  try {
    await registry.create(object, serverContext(registry, ''));
  } catch (error) {
    // Another replica was faster.
    if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
  }
}

/** The server writes for itself. */
export function serverContext({ resource: { strategy, hub } }: ObjectRegistry, namespace: string): WriteContext {
  return {
    version: hub,
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    namespace,
    subresource: '',
    strategy,
    dryRun: false,
    fieldManager: 'kube-apiserver',
    warn: () => {},
    isOver: () => false,
  };
}
