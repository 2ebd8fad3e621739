import type { User, Verdict } from '@tsukube/apiserver';
import { goQuote, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import type { KnownRole } from './role-table.ts';

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
