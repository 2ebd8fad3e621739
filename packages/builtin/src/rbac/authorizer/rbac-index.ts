import type { User } from '@tsukube/apiserver';
import { type JsonObject, objectIn, textIn } from '@tsukube/machinery';
import type { PolicyRule } from '../rules/policy-rule.ts';
import { type GrantedRules, grantedRules } from './rbac-authorizer.ts';
import { type BindingSubject, BoundRole, type RoleEntry, RoleTable } from './role-table.ts';

export type RbacKind = 'role' | 'binding';

/** Unused role entries are removed after this many deletions. */
const sweepInterval = 1000;

/**
 * All roles and bindings, indexed by subject: a request costs as much as its user has bindings, not as there are in total.
 * `epoch` increases with every change.
 */
export class RbacIndex {
  readonly #roles = new RoleTable();
  readonly #cluster = new SubjectIndex();
  readonly #namespaces = new Map<string, SubjectIndex>();
  #removals = 0;
  epoch = 0;

  /** An empty namespace means cluster-scoped. */
  put(kind: RbacKind, namespace: string, name: string, read: () => JsonObject): void {
    this.epoch++;
    if (kind === 'role') this.#roles.at(namespace, name).become(read);
    else this.#putBinding(namespace, name, read());
  }

  #putBinding(namespace: string, name: string, object: JsonObject): void {
    const reference = objectIn(object, 'roleRef');
    const role = this.#roles.at(namespaceOfRole(reference, namespace), textIn(reference, 'name'));
    this.#bindingsOf(namespace).put(name, new BoundRole(namespace, name, object, role));
  }

  remove(kind: RbacKind, namespace: string, name: string): void {
    this.epoch++;
    if (kind === 'role') this.#roles.remove(namespace, name);
    else this.#removeBinding(namespace, name);
    if (++this.#removals % sweepInterval === 0) this.#sweep();
  }

  /** Visits the bindings of a user: ClusterRoleBindings first, then those of the namespace. */
  visit(user: User, namespace: string, visitor: (bindings: ReadonlySet<BoundRole>) => boolean): boolean {
    if (this.#cluster.visit(user, visitor)) return true;
    return namespace !== '' && (this.#namespaces.get(namespace)?.visit(user, visitor) ?? false);
  }

  /** The role that a roleRef in this namespace refers to. */
  roleOf(reference: JsonObject | undefined, namespace: string): RoleEntry {
    return this.#roles.find(namespaceOfRole(reference, namespace), textIn(reference, 'name'));
  }

  #bindingsOf(namespace: string): SubjectIndex {
    if (namespace === '') return this.#cluster;
    let bindings = this.#namespaces.get(namespace);
    if (!bindings) {
      bindings = new SubjectIndex();
      this.#namespaces.set(namespace, bindings);
    }
    return bindings;
  }

  #removeBinding(namespace: string, name: string): void {
    const bindings = this.#bindingsOf(namespace);
    bindings.remove(name);
    if (bindings.size === 0) this.#namespaces.delete(namespace);
  }

  #sweep(): void {
    const bound = new Set<unknown>();
    for (const bindings of [this.#cluster, ...this.#namespaces.values()]) {
      for (const { role } of bindings.values()) bound.add(role);
    }
    this.#roles.sweep((role) => bound.has(role));
  }
}

function namespaceOfRole(reference: JsonObject | undefined, bindingNamespace: string): string {
  return textIn(reference, 'kind') === 'Role' ? bindingNamespace : '';
}

/** The bindings of one namespace, or the ClusterRoleBindings, by subject. */
export class SubjectIndex {
  readonly #users = new Map<string, Set<BoundRole>>();
  readonly #groups = new Map<string, Set<BoundRole>>();
  readonly #bindings = new Map<string, BoundRole>();

  put(name: string, binding: BoundRole): void {
    this.remove(name);
    this.#bindings.set(name, binding);
    for (const subject of binding.subjects) {
      const map = this.#mapOf(subject);
      const known = map.get(subject.name);
      if (known) known.add(binding);
      else map.set(subject.name, new Set([binding]));
    }
  }

  remove(name: string): void {
    const binding = this.#bindings.get(name);
    if (!binding) return;
    this.#bindings.delete(name);
    for (const subject of binding.subjects) {
      const map = this.#mapOf(subject);
      const known = map.get(subject.name);
      known?.delete(binding);
      if (known?.size === 0) map.delete(subject.name);
    }
  }

  /** Calls back with each set of bindings whose subject matches, until the callback returns true. */
  visit(user: User, visitor: (bindings: ReadonlySet<BoundRole>) => boolean): boolean {
    const own = this.#users.get(user.name);
    if (own && visitor(own)) return true;
    for (const group of user.groups) {
      const shared = this.#groups.get(group);
      if (shared && visitor(shared)) return true;
    }
    return false;
  }

  get size(): number {
    return this.#bindings.size;
  }

  values(): Iterable<BoundRole> {
    return this.#bindings.values();
  }

  #mapOf({ as }: BindingSubject): Map<string, Set<BoundRole>> {
    return as === 'user' ? this.#users : this.#groups;
  }
}

/** The rules of roles and users, for the privilege escalation check. */
export interface RoleRules {
  /** The role that a roleRef in this namespace refers to. */
  roleOf(reference: JsonObject | undefined, namespace: string): RoleView | Promise<RoleView>;
  /** All rules of a user in a namespace. */
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
