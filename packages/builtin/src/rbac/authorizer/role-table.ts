import type { User, Verdict } from '@tsukube/apiserver';
import { goQuote, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
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

/** Who a binding is about, as users present themselves. */
export interface Subject {
  readonly as: 'user' | 'group';
  readonly name: string;
  /** For people: Kubernetes puts the name of a service account before its namespace. */
  readonly text: string;
}

/** A binding, ready to be asked. */
export class BoundRole {
  readonly role: KnownRole;
  readonly subjects: readonly Subject[];
  readonly #text: string;
  readonly #allowed: (Verdict | undefined)[] = [];

  constructor(namespace: string, name: string, object: JsonObject, role: KnownRole) {
    const reference = objectIn(object, 'roleRef');
    const binding = namespace === '' ? `ClusterRoleBinding ${goQuote(name)}` : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
    this.#text = `RBAC: allowed by ${binding} of ${textIn(reference, 'kind')} ${goQuote(textIn(reference, 'name'))} to `;
    this.role = role;
    this.subjects = objectsIn(object, 'subjects').flatMap((subject) => subjectOf(subject, namespace) ?? []);
  }

  /** The verdict for a user that one of the subjects is; it names the first. */
  allowed(user: User): Verdict {
    const at = this.subjects.findIndex(({ as, name }) => (as === 'user' ? name === user.name : user.groups.includes(name)));
    let verdict = this.#allowed[at];
    if (!verdict) {
      verdict = { decision: 'allow', reason: this.#text + (this.subjects[at] as Subject).text };
      this.#allowed[at] = verdict;
    }
    return verdict;
  }
}

function subjectOf(subject: JsonObject, bindingNamespace: string): Subject | undefined {
  const [kind, name] = [textIn(subject, 'kind'), textIn(subject, 'name')];
  if (kind === 'User') return { as: 'user', name, text: `User ${goQuote(name)}` };
  if (kind === 'Group') return { as: 'group', name, text: `Group ${goQuote(name)}` };
  const namespace = textIn(subject, 'namespace') || bindingNamespace;
  if (kind !== 'ServiceAccount' || namespace === '') return undefined;
  return {
    as: 'user',
    name: `system:serviceaccount:${namespace}:${name}`,
    text: `ServiceAccount ${goQuote(`${name}/${namespace}`)}`,
  };
}
