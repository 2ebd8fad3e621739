import {
  asServer,
  type CacheEntry,
  decodeObject,
  deleteObject,
  type ObjectRegistry,
  type WriteContext,
} from '@tsukube/apiserver';
import { bootstrapPolicy, type FindRegistry, rbacGroup, reconciledBinding, reconciledRole } from '@tsukube/builtin';
import { type JsonObject, StatusError } from '@tsukube/machinery';

const pluralOf: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
};

/**
 * Sees to it that the roles and bindings of Kubernetes are there and complete. Those of the cluster are written at once,
 * those of namespaces when `namespacesReady` says that these exist. Where nothing has changed nothing is written.
 */
export async function ensureBootstrapPolicy(findRegistry: FindRegistry, namespacesReady: Promise<void>): Promise<void> {
  const ensureAll = (objects: readonly JsonObject[]) =>
    Promise.all(objects.map((object) => ensureOne(findRegistry(rbacGroup, pluralOf[object.kind as string] as string), object)));
  const policy = bootstrapPolicy();
  const inCluster = policy.filter((object) => namespaceOf(object) === '');
  await Promise.all([ensureAll(inCluster), namespacesReady]);
  await ensureAll(policy.filter((object) => namespaceOf(object) !== ''));
}

function namespaceOf({ metadata }: JsonObject): string {
  return ((metadata as JsonObject).namespace as string | undefined) ?? '';
}

/** Another replica may do the same at the same time. */
async function ensureOne(registry: ObjectRegistry | undefined, expected: JsonObject): Promise<void> {
  if (!registry) return;
  await registry.cache.fresh();
  const { name } = expected.metadata as { name: string };
  const context = asServer(registry, namespaceOf(expected));
  const entry = registry.cache.peek(registry.key(context.namespace, name));
  try {
    if (!entry) await registry.create(structuredClone(expected), context);
    else if (!says(entry, expected)) await reconcile(registry, name, expected, context);
  } catch (error) {
    if (!(error instanceof StatusError && (error.reason === 'AlreadyExists' || error.reason === 'Conflict'))) throw error;
  }
}

/** Whether the bytes have all that is expected, as they were written here. If in doubt the objects are compared. */
function says({ value }: CacheEntry, { metadata, ...rest }: JsonObject): boolean {
  const { labels, annotations } = metadata as JsonObject;
  const parts = Object.entries({ labels, annotations, ...rest }).filter(([, part]) => part !== null);
  return parts.every(([field, part]) => value.includes(`${JSON.stringify(field)}:${JSON.stringify(part)}`));
}

async function reconcile(registry: ObjectRegistry, name: string, expected: JsonObject, context: WriteContext): Promise<void> {
  const reconciled = 'rules' in expected ? reconciledRole : reconciledBinding;
  const { value } = registry.cache.peek(registry.key(context.namespace, name)) as CacheEntry;
  const target = reconciled(decodeObject(value), expected);
  if (target === undefined) return;
  if (target === 'anew') {
    await deleteObject(registry, name, {}, context);
    await registry.create(structuredClone(expected), context);
  } else await registry.update(name, undefined, (existing) => reconciledOr(existing as JsonObject, expected), context);
}

/** Once more from what is there at the moment of writing. */
function reconciledOr(existing: JsonObject, expected: JsonObject): JsonObject {
  const target = ('rules' in expected ? reconciledRole : reconciledBinding)(existing, expected);
  return target === undefined || target === 'anew' ? existing : target;
}
