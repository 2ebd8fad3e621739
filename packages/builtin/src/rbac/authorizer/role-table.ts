import { goQuote, type JsonObject, objectsIn } from '@tsukube/machinery';
import { type CompiledRule, compileRule } from '../rules/compiled-rule.ts';
import { type PolicyRule, policyRuleOf } from '../rules/policy-rule.ts';

/** A role that exists or that only a binding speaks of; the same object for as long as anybody does. Read when first asked. */
export class KnownRole {
  /** What is said where it is missing. */
  readonly missing: string;
  #read: (() => JsonObject) | undefined;
  #rules: readonly PolicyRule[] | undefined;
  #compiled: readonly CompiledRule[] | undefined;

  constructor(namespace: string, name: string) {
    this.missing = `${namespace === '' ? 'clusterrole' : 'role'}.rbac.authorization.k8s.io ${goQuote(name)} not found`;
  }

  /** Undefined: there is no such role. */
  become(read: (() => JsonObject) | undefined): void {
    this.#read = read;
    this.#rules = undefined;
    this.#compiled = undefined;
  }

  get exists(): boolean {
    return this.#read !== undefined;
  }

  /** None if it does not exist. */
  get rules(): readonly PolicyRule[] {
    this.#rules ??= this.#read ? objectsIn(this.#read(), 'rules').map(policyRuleOf) : [];
    return this.#rules;
  }

  get compiled(): readonly CompiledRule[] {
    this.#compiled ??= this.rules.map(compileRule);
    return this.#compiled;
  }
}

/** Roles by where they are: in a namespace, or in the cluster if that is empty. A role that is written again keeps its place. */
export class RoleTable {
  readonly #roles = new Map<string, KnownRole>();

  at(namespace: string, name: string): KnownRole {
    const key = placeOf(namespace, name);
    const known = this.#roles.get(key);
    if (known) return known;
    const role = new KnownRole(namespace, name);
    this.#roles.set(key, role);
    return role;
  }

  /** Leaves no place behind where there is none. */
  find(namespace: string, name: string): KnownRole {
    return this.#roles.get(placeOf(namespace, name)) ?? new KnownRole(namespace, name);
  }

  /** The place stays: bindings may still point there. */
  remove(namespace: string, name: string): void {
    this.#roles.get(placeOf(namespace, name))?.become(undefined);
  }

  /** Forgets places that neither a role nor a binding has. */
  sweep(isBound: (role: KnownRole) => boolean): void {
    for (const [key, role] of this.#roles) if (!role.exists && !isBound(role)) this.#roles.delete(key);
  }

  get size(): number {
    return this.#roles.size;
  }
}

function placeOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
