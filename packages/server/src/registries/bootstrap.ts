import { randomUUID } from 'node:crypto';
import {
  asBootstrap,
  type CacheEntry,
  decodeObject,
  deleteObject,
  type Logger,
  type ObjectRegistry,
  type Resource,
  updateExisting,
} from '@tsukube/apiserver';
import {
  bootstrapNames,
  bootstrapPolicy,
  type FindRegistry,
  rbacGroup,
  reconciledBinding,
  reconciledRole,
  storedPolicy,
} from '@tsukube/builtin';
import { formatTime, type JsonObject, metadataOf, StatusError, textIn } from '@tsukube/machinery';
import { KeyExists } from '@tsukube/storage';

/** Creates the missing initial objects of all resources. */
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
  const missing = objects.filter((object) => !registry.cache.peek(registry.key('', textIn(metadataOf(object), 'name'))));
  await Promise.all(missing.map((object) => create(registry, structuredClone(object))));
}

async function create(registry: ObjectRegistry, object: JsonObject): Promise<void> {
  try {
    await registry.create(object, asBootstrap(registry));
  } catch (error) {
    // Another replica created it.
    if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
  }
}

const pluralOf: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
};

/** Delay of the reconciliation with a newer version's policy, if all objects exist, so that clients are served first. */
const reconcileAfterMs = 1000;

export interface BootstrapPolicy {
  /** Resolves when all bootstrap roles and bindings exist; missing ones are written in one batch. */
  readonly ready: Promise<void>;
  stop(): void;
}

/**
 * Creates the bootstrap RBAC policy, and reconciles it soon after. Aggregated roles start with the rules that the aggregation
 * controller would compute, or empty if it is disabled.
 */
export function ensureBootstrapPolicy(findRegistry: FindRegistry, aggregates: boolean, logger: Logger): BootstrapPolicy {
  const registries = new Map(Object.entries(pluralOf).map(([kind, plural]) => [kind, findRegistry(rbacGroup, plural)]));
  const policy = () => (aggregates ? bootstrapPolicy() : bootstrapPolicy().map(withoutAggregatedRules));
  let timer: NodeJS.Timeout | undefined;
  const ensureAll = async (): Promise<void> => {
    const time = formatTime(Date.now());
    await Promise.all(policy().map((object) => ensureOne(registries.get(textIn(object, 'kind')), object, time)));
  };
  const later = (): void => {
    ensureAll().catch((error) => {
      logger.warn('bootstrap RBAC policy could not be reconciled', { error: String(error) });
      timer = setTimeout(later, reconcileAfterMs * 10).unref();
    });
  };
  const ensure = async (): Promise<void> => {
    await Promise.all([...registries.values()].map((registry) => registry?.cache.fresh()));
    if (isComplete(registries)) timer = setTimeout(later, reconcileAfterMs).unref();
    else await ensureAll();
  };
  return { ready: ensure(), stop: () => clearTimeout(timer) };
}

function withoutAggregatedRules(object: JsonObject): JsonObject {
  return 'aggregationRule' in object ? { ...object, rules: null } : object;
}

function isComplete(registries: ReadonlyMap<string, ObjectRegistry | undefined>): boolean {
  return bootstrapNames().every(({ kind, namespace, name }) => {
    const registry = registries.get(kind);
    return !registry || registry.cache.peek(registry.key(namespace, name)) !== undefined;
  });
}

async function ensureOne(registry: ObjectRegistry | undefined, expected: JsonObject, time: string): Promise<void> {
  if (!registry) return;
  const { name = '', namespace = '' } = metadataOf(expected);
  const key = registry.key(namespace, name);
  const entry = registry.cache.peek(key);
  try {
    if (!entry) await registry.cache.create(key, storedPolicy(expected, randomUUID(), time));
    else if (!entry.corrupt && !containsPolicy(entry, expected)) await reconcile(registry, entry, expected);
  } catch (error) {
    if (!isConcurrentWrite(error)) throw error;
  }
}

/** Another replica may create them concurrently. */
function isConcurrentWrite(error: unknown): boolean {
  return (
    error instanceof KeyExists || (error instanceof StatusError && ['AlreadyExists', 'NotFound'].includes(error.reason ?? ''))
  );
}

/** Whether the stored bytes contain the expected policy. Otherwise the objects are compared. */
function containsPolicy({ value }: CacheEntry, expected: JsonObject): boolean {
  const { labels, annotations } = metadataOf(expected);
  const { rules, aggregationRule, subjects, roleRef } = expected;
  // The rules of aggregated roles are owned by the controller.
  const parts = { labels, annotations, ...(aggregationRule ? { aggregationRule } : { rules }), subjects, roleRef };
  return Object.entries(parts).every(
    ([field, part]) => part === undefined || value.includes(`${JSON.stringify(field)}:${JSON.stringify(part)}`),
  );
}

async function reconcile(registry: ObjectRegistry, entry: CacheEntry, expected: JsonObject): Promise<void> {
  const { name = '', namespace = '' } = metadataOf(expected);
  const reconciled = 'rules' in expected ? reconciledRole : reconciledBinding;
  const context = asBootstrap(registry, namespace);
  const target = reconciled(decodeObject(entry.value), expected);
  if (target === undefined) return;
  if (target === 'replace') {
    await deleteObject(registry, name, {}, context);
    await registry.create(structuredClone(expected), context);
    return;
  }
  const renewed = (existing: JsonObject): JsonObject => {
    const next = reconciled(existing, expected);
    return next === undefined || next === 'replace' ? existing : next;
  };
  await updateExisting(registry, name, undefined, renewed, context);
}
