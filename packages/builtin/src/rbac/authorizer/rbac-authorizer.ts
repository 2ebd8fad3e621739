import {
  type AccessAttributes,
  type AccessRules,
  type Authorizer,
  joinedErrors,
  noOpinion,
  type User,
  type Verdict,
} from '@tsukube/apiserver';
import { combinedResource } from '../rules/compiled-rule.ts';
import type { PolicyRule } from '../rules/policy-rule.ts';
import type { BoundRole } from './bound-role.ts';
import { DecisionMemory } from './decision-memory.ts';
import type { RbacIndex } from './rbac-index.ts';

export interface GrantedRules {
  readonly rules: readonly PolicyRule[];
  readonly error?: string;
}

/** Somebody with more bindings than this is remembered, so that many bindings cost what few do. */
const fewBindings = 32;

/** Decides by roles and their bindings. What no rule allows it has no opinion on. */
export function rbacAuthorizer(index: RbacIndex): Authorizer {
  const memory = new DecisionMemory();
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
    return count > fewBindings;
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

/** Bindings to roles that do not exist are told of where nothing else helped. */
function undecided(index: RbacIndex, user: User, namespace: string): Verdict {
  const { error } = grantedRules(index, user, namespace);
  return error === undefined ? noOpinion : { decision: 'no opinion', reason: `RBAC: ${error}` };
}

/** Every rule that a user has in a namespace; each binding counts once, however many of its subjects the user is. */
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
