import {
  type AccessAttributes,
  type AccessRules,
  type Authorizer,
  type CacheEntry,
  followObjects,
  joinedErrors,
  noOpinion,
  type ObjectListener,
  type ObjectRegistry,
  type User,
  type Verdict,
} from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { combinedResource } from '../rules/compiled-rule.ts';
import { type PolicyRule, rbacGroup } from '../rules/policy-rule.ts';
import { RbacIndex, type RbacKind } from './rbac-index.ts';
import type { BoundRole } from './role-table.ts';

export interface GrantedRules {
  readonly rules: readonly PolicyRule[];
  readonly error?: string;
}

/** Decisions are cached for users with more bindings than this. */
const uncachedBindings = 32;

/** The RBAC authorizer: allows, or has no opinion. */
export function rbacAuthorizer(index: RbacIndex): Authorizer {
  const memory = new RbacDecisionCache();
  return {
    authorize(access) {
      const { user, namespace } = access;
      if (!hasMany(index, user, namespace)) return decide(index, access);
      return memory.recall(access, index.epoch, () => decide(index, access));
    },
    rulesFor: (user, namespace) => rulesOf(grantedRules(index, user, namespace)),
  };
}

function hasMany(index: RbacIndex, user: User, namespace: string): boolean {
  let count = 0;
  return index.visit(user, namespace, (bindings) => {
    count += bindings.size;
    return count > uncachedBindings;
  });
}

function decide(index: RbacIndex, access: AccessAttributes): Verdict {
  const { user, namespace } = access;
  const resource = combinedResource(access);
  let found: BoundRole | undefined;
  index.visit(user, namespace, (bindings) => {
    found = findAllowing(bindings, access, resource);
    return found !== undefined;
  });
  return found ? found.allowed(user) : undecided(index, user, namespace);
}

function findAllowing(bindings: ReadonlySet<BoundRole>, access: AccessAttributes, resource: string): BoundRole | undefined {
  for (const binding of bindings) {
    for (const allows of binding.role.compiled) if (allows(access, resource)) return binding;
  }
  return undefined;
}

/** The reason lists bindings to missing roles. */
function undecided(index: RbacIndex, user: User, namespace: string): Verdict {
  const { error } = grantedRules(index, user, namespace);
  return error === undefined ? noOpinion : { decision: 'no opinion', reason: `RBAC: ${error}` };
}

/** All rules of a user in a namespace. A binding counts once, even if several subjects match. */
export function grantedRules(index: RbacIndex, user: User, namespace: string): GrantedRules {
  const seen = new Set<BoundRole>();
  index.visit(user, namespace, (bindings) => {
    for (const binding of bindings) seen.add(binding);
    return false;
  });
  const missing = [...seen].filter(({ role }) => !role.exists).map(({ role }) => ({ error: role.missing }));
  const error = joinedErrors(missing);
  return { rules: [...seen].flatMap(({ role }) => role.rules), ...(error !== undefined && { error }) };
}

function rulesOf({ rules, error }: GrantedRules): AccessRules {
  return {
    resourceRules: rules.filter(({ resources }) => resources.length > 0),
    pathRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0),
    incomplete: false,
    ...(error !== undefined && { error }),
  };
}

const maxRemembered = 1000;

interface CachedDecisions {
  readonly epoch: number;
  readonly verdicts: Map<string, Verdict>;
}

/** Caches decisions per User object until a role or binding changes. User objects are immutable. */
export class RbacDecisionCache {
  readonly #users = new WeakMap<User, CachedDecisions>();

  recall(access: AccessAttributes, epoch: number, decide: () => Verdict): Verdict {
    const verdicts = this.#verdictsOf(access.user, epoch);
    const key = keyOf(access);
    const known = verdicts.get(key);
    if (known) return known;
    const verdict = decide();
    if (verdicts.size >= maxRemembered) verdicts.clear();
    verdicts.set(key, verdict);
    return verdict;
  }

  #verdictsOf(user: User, epoch: number): Map<string, Verdict> {
    const known = this.#users.get(user);
    if (known?.epoch === epoch) return known.verdicts;
    const verdicts = new Map<string, Verdict>();
    this.#users.set(user, { epoch, verdicts });
    return verdicts;
  }
}

/** Parts are prefixed with their lengths, so that keys are unambiguous. */
function keyOf(access: AccessAttributes): string {
  if (!access.isResource) return `${access.verb}\n${access.path}`;
  const { verb, group, namespace, name } = access;
  return [verb, group, combinedResource(access), namespace, name].map((part) => `${part.length} ${part}`).join('\n');
}

/** The registry of a resource; undefined if it is not served. */
export type FindRegistry = (group: string, plural: string) => ObjectRegistry | undefined;

export interface Rbac {
  readonly authorizer: Authorizer;
  readonly index: RbacIndex;
  stop(): void;
}

const kinds = { roles: 'role', clusterroles: 'role', rolebindings: 'binding', clusterrolebindings: 'binding' } as const;

/** RBAC on the roles and bindings of a server. Resolves when all are indexed. */
export async function openRbac(findRegistry: FindRegistry, index = new RbacIndex()): Promise<Rbac> {
  const followed = Object.entries(kinds).map(([plural, kind]) => {
    const registry = findRegistry(rbacGroup, plural);
    return registry ? followObjects(registry, into(index, kind)) : () => {};
  });
  const stops = await Promise.all(followed);
  return {
    authorizer: rbacAuthorizer(index),
    index,
    stop() {
      for (const stop of stops) stop();
    },
  };
}

function into(index: RbacIndex, kind: RbacKind): ObjectListener {
  return {
    put: (namespace, name, entry) => index.put(kind, namespace, name, () => readObject(entry)),
    remove: (namespace, name) => index.remove(kind, namespace, name),
  };
}

/** Roles and bindings contain no numbers, so JSON.parse is exact and fast. A corrupt object grants nothing. */
function readObject(entry: CacheEntry): JsonObject {
  try {
    return JSON.parse(entry.value.toString()) as JsonObject;
  } catch {
    return {};
  }
}
