import type { ObjectRegistry, User, WriteContext } from '@tsukube/apiserver';
import { type JsonObject, StatusError } from '@tsukube/machinery';

const apiserver: User = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

/** The server writes as itself. */
export function writeAsServer(registry: ObjectRegistry, namespace: string, subresource = ''): WriteContext {
  const { resource } = registry;
  return {
    version: resource.hub,
    user: apiserver,
    namespace,
    subresource,
    strategy: { ...resource.strategy, ...resource.subresources?.[subresource]?.strategy },
    dryRun: false,
    fieldManager: 'kube-apiserver',
    warn: () => {},
    isOver: () => false,
  };
}

/** Changes a status as it is then; what the change gives back undefined for stays. What is gone is nobody's business. */
export async function updateStatus(
  registry: ObjectRegistry,
  name: string,
  change: (object: JsonObject) => JsonObject | undefined,
): Promise<void> {
  try {
    const context = writeAsServer(registry, '', 'status');
    await registry.update(name, undefined, (existing) => change(existing as JsonObject) ?? (existing as JsonObject), context);
  } catch (error) {
    if (!(error instanceof StatusError && (error.code === 404 || error.code === 409))) throw error;
  }
}
