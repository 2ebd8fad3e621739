import { type CacheEntry, follow, labelsOf, nameOfKey, type ObjectRegistry, WorkQueue } from '@tsukube/apiserver';
import { apiVersionOf, deepEqual, type JsonObject, labelSelectorOf, objectIn, objectsIn, StatusError } from '@tsukube/machinery';
import { type ControllerContext, ignoreNotFound, type RunningController, registryNamed, writeAs } from './controller.ts';

const manager = 'clusterrole-aggregation-controller';
/** The only key of the queue: a change of any role may affect every aggregated role. */
const everyRole = 'all';

/** Sets the rules of aggregated ClusterRoles to those of the roles they select. */
export function clusterRoleAggregation(context: ControllerContext): RunningController {
  const roles = registryNamed(context, 'clusterroles');
  const reconcile = async (): Promise<void> => {
    await roles.cache.fresh();
    const entries = roles.cache.slice(roles.cache.prefix);
    for (const entry of entries) {
      if (entry.value.includes('"aggregationRule":')) await aggregate(roles, entry, entries);
    }
  };
  const queue = new WorkQueue(reconcile, context.logger);
  const stop = follow(roles.cache, () => queue.add(everyRole));
  return {
    stop() {
      queue.stop();
      stop();
    },
  };
}

async function aggregate(roles: ObjectRegistry, entry: CacheEntry, entries: readonly CacheEntry[]): Promise<void> {
  const object = readRole(entry.value);
  const rules = aggregatedRules(object, entry, entries);
  if (rules === undefined || deepEqual(rules, rulesOf(object))) return;
  const { name } = nameOfKey(roles.resource, entry.key);
  const context = { ...writeAs(roles, ''), fieldManager: manager };
  const configuration = {
    apiVersion: apiVersionOf(roles.resource.hub),
    kind: 'ClusterRole',
    metadata: { name },
    ...(rules.length > 0 && { rules }),
  };
  const complete = (merged: JsonObject, existing: JsonObject | undefined) => {
    if (!existing) throw StatusError.notFound({ group: roles.resource.hub.group, resource: 'clusterroles' }, name);
    return { ...merged, rules: rules.length > 0 ? rules : null };
  };
  await ignoreNotFound(roles.apply(name, { configuration, force: true, complete }, context));
}

/** The distinct rules of the selected roles, by role name. Undefined if the role does not aggregate. */
function aggregatedRules(object: JsonObject, own: CacheEntry, entries: readonly CacheEntry[]): JsonObject[] | undefined {
  const rule = objectIn(object, 'aggregationRule');
  if (!Array.isArray(rule?.clusterRoleSelectors)) return undefined;
  const rules: JsonObject[] = [];
  for (const selector of objectsIn(rule, 'clusterRoleSelectors').map(labelSelectorOf)) {
    const chosen = entries.filter((entry) => entry.key !== own.key && selector.matches(labelsOf(entry)));
    for (const rule of chosen.flatMap(({ value }) => rulesOf(readRole(value)))) {
      if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
    }
  }
  return rules;
}

/** Roles contain no numbers, so JSON.parse is exact and fast. */
function readRole(value: Buffer): JsonObject {
  return JSON.parse(value.toString()) as JsonObject;
}

function rulesOf(role: JsonObject): JsonObject[] {
  return [...objectsIn(role, 'rules')];
}
