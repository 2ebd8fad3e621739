import { type CacheEntry, follow, labelsOf, nameOfKey, type ObjectRegistry, WorkQueue } from '@tsukube/apiserver';
import { apiVersionOf, deepEqual, type JsonObject, labelSelectorOf, StatusError } from '@tsukube/machinery';
import { type Controller, type ControllerContext, registryNamed, writeAs } from './controller.ts';

const manager = 'clusterrole-aggregation-controller';
/** Any role may be part of any other, so all that gather are looked at together. */
const everyRole = 'all';

/** Gathers the rules of roles into those that select them by their labels. */
export function clusterRoleAggregation(context: ControllerContext): Controller {
  const roles = registryNamed(context, 'clusterroles');
  const reconcile = async (): Promise<void> => {
    await roles.cache.fresh();
    const entries = roles.cache.slice(roles.cache.prefix);
    for (const entry of entries) {
      if (entry.value.includes('"aggregationRule":')) await aggregate(roles, entry, entries, context.now());
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

async function aggregate(roles: ObjectRegistry, entry: CacheEntry, entries: readonly CacheEntry[], now: number): Promise<void> {
  const object = readRole(entry.value);
  const rules = gatheredRules(object, entry, entries);
  if (rules === undefined || deepEqual(rules, rulesOf(object))) return;
  const { name } = nameOfKey(roles.resource, entry.key);
  const { fieldManager: _, ...writing } = writeAs(roles, '');
  const applied = {
    apiVersion: apiVersionOf(roles.resource.hub),
    kind: 'ClusterRole',
    metadata: { name },
    ...(rules.length > 0 && { rules }),
  };
  const apply = async (existing: JsonObject | undefined): Promise<JsonObject> => {
    const { fieldManagement } = roles.services;
    if (!existing) throw StatusError.notFound({ group: roles.resource.hub.group, resource: 'clusterroles' }, name);
    const next = await fieldManagement?.apply(roles.resource, existing, applied, writing, { manager, force: true, now });
    return { ...(next ?? existing), rules: rules.length > 0 ? rules : null };
  };
  await roles.update(name, undefined, apply, writing).catch(ignoreRemoved);
}

/** Each rule once, in the order of the names of their roles. Undefined if the role gathers none. */
function gatheredRules(object: JsonObject, own: CacheEntry, entries: readonly CacheEntry[]): JsonObject[] | undefined {
  const selectors = (object.aggregationRule as JsonObject | undefined)?.clusterRoleSelectors;
  if (!Array.isArray(selectors)) return undefined;
  const gathered: JsonObject[] = [];
  for (const selector of selectors.map((one) => labelSelectorOf(one as JsonObject))) {
    const chosen = entries.filter((entry) => entry.key !== own.key && selector.matches(labelsOf(entry)));
    for (const rule of chosen.flatMap(({ value }) => rulesOf(readRole(value)))) {
      if (!gathered.some((known) => deepEqual(known, rule))) gathered.push(rule);
    }
  }
  return gathered;
}

/** Nothing in a role is a number, so the quickest way of reading is exact. */
function readRole(value: Buffer): JsonObject {
  return JSON.parse(value.toString()) as JsonObject;
}

function rulesOf({ rules }: JsonObject): JsonObject[] {
  return Array.isArray(rules) ? (rules as JsonObject[]) : [];
}

function ignoreRemoved(error: unknown): void {
  if (!(error instanceof StatusError && error.code === 404)) throw error;
}
