import { asServer, type ObjectRegistry, type Resource } from '@tsukube/apiserver';
import { deepCopy, type JsonObject, StatusError } from '@tsukube/machinery';

/** Creates what exists from the first start and is not there. */
export async function createInitialObjects(
  resources: readonly Resource[],
  registryOf: (resource: Resource) => ObjectRegistry,
): Promise<void> {
  const initial = resources.map((resource) => ({
    registry: registryOf(resource),
    objects: resource.initialObjects ?? [],
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
    await registry.create(object, asServer(registry));
  } catch (error) {
    // Another replica was faster.
    if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
  }
}
