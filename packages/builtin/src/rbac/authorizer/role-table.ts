import type { User, Verdict } from '@tsukube/apiserver';
import { goQuote, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { type CompiledRule, compileRule } from '../rules/compiled-rule.ts';
import { type PolicyRule, policyRuleOf } from '../rules/policy-rule.ts';

/** A role that exists or is referenced by a binding. The object stays the same while either is true. Rules are parsed lazily. */
export class RoleEntry {
  /** The error if the role does not exist. */
  readonly missing: string;
  #read: (() => JsonObject) | undefined;
  #rules: readonly PolicyRule[] | undefined;
  #compiled: readonly CompiledRule[] | undefined;

  constructor(namespace: string, name: string) {
    this.missing = `${namespace === '' ? 'clusterrole' : 'role'}.rbac.authorization.k8s.io ${goQuote(name)} not found`;
  }

  /** `read` is undefined if the role was deleted. */
  become(read: (() => JsonObject) | undefined): void {
    this.#read = read;
    this.#rules = undefined;
    this.#compiled = undefined;
  }

  get exists(): boolean {
    return this.#read !== undefined;
  }

  /** Empty if the role does not exist. */
  get rules(): readonly PolicyRule[] {
    this.#rules ??= this.#read ? objectsIn(this.#read(), 'rules').map(policyRuleOf) : [];
    return this.#rules;
  }

  get compiled(): readonly CompiledRule[] {
    this.#compiled ??= this.rules.map(compileRule);
    return this.#compiled;
  }
}

/** Role entries by namespace (empty for ClusterRoles) and name. An update keeps the entry. */
export class RoleTable {
  readonly #roles = new Map<string, RoleEntry>();

  at(namespace: string, name: string): RoleEntry {
    const key = placeOf(namespace, name);
    const known = this.#roles.get(key);
    if (known) return known;
    const role = new RoleEntry(namespace, name);
    this.#roles.set(key, role);
    return role;
  }

  /** Creates no entry. */
  find(namespace: string, name: string): RoleEntry {
    return this.#roles.get(placeOf(namespace, name)) ?? new RoleEntry(namespace, name);
  }

  /** Keeps the entry: bindings may still refer to it. */
  remove(namespace: string, name: string): void {
    this.#roles.get(placeOf(namespace, name))?.become(undefined);
  }

  /** Removes entries without role and binding. */
  sweep(isBound: (role: RoleEntry) => boolean): void {
    for (const [key, role] of this.#roles) if (!role.exists && !isBound(role)) this.#roles.delete(key);
  }

  get size(): number {
    return this.#roles.size;
  }
}

function placeOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** A subject of a binding, as a user or group name. */
export interface BindingSubject {
  readonly as: 'user' | 'group';
  readonly name: string;
  /** For messages: Kubernetes puts the name of a service account before its namespace. */
  readonly text: string;
}

/** A binding with its subjects and its role. */
export class BoundRole {
  readonly role: RoleEntry;
  readonly subjects: readonly BindingSubject[];
  readonly #text: string;
  readonly #allowed: (Verdict | undefined)[] = [];

  constructor(namespace: string, name: string, object: JsonObject, role: RoleEntry) {
    const reference = objectIn(object, 'roleRef');
    const binding = namespace === '' ? `ClusterRoleBinding ${goQuote(name)}` : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
    this.#text = `RBAC: allowed by ${binding} of ${textIn(reference, 'kind')} ${goQuote(textIn(reference, 'name'))} to `;
    this.role = role;
    this.subjects = objectsIn(object, 'subjects').flatMap((subject) => subjectOf(subject, namespace) ?? []);
  }

  /** The decision for a matching user; the reason names the first matching subject. */
  allowed(user: User): Verdict {
    const at = this.subjects.findIndex(({ as, name }) => (as === 'user' ? name === user.name : user.groups.includes(name)));
    let verdict = this.#allowed[at];
    if (!verdict) {
      verdict = { decision: 'allow', reason: this.#text + (this.subjects[at] as BindingSubject).text };
      this.#allowed[at] = verdict;
    }
    return verdict;
  }
}

function subjectOf(subject: JsonObject, bindingNamespace: string): BindingSubject | undefined {
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
