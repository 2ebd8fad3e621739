import type { User } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import type { PolicyRule } from '../rules/policy-rule.ts';
import { type GrantedRules, grantedRules } from './rbac-authorizer.ts';
import type { RbacIndex } from './rbac-index.ts';

/** The rules of roles and users, for checks that nobody grants more than they have. */
export interface RoleRules {
  /** The role that a binding in this namespace refers to. */
  roleOf(reference: JsonObject | undefined, namespace: string): RoleView | Promise<RoleView>;
  /** Every rule that a user has in a namespace. */
  grantedTo(user: User, namespace: string): GrantedRules | Promise<GrantedRules>;
}

export interface RoleView {
  readonly exists: boolean;
  readonly rules: readonly PolicyRule[];
}

export function roleRulesOf(index: RbacIndex): RoleRules {
  return {
    roleOf(reference, namespace) {
      const { exists, rules } = index.roleOf(reference, namespace);
      return { exists, rules };
    },
    grantedTo: (user, namespace) => grantedRules(index, user, namespace),
  };
}
