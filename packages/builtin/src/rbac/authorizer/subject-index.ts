import type { User } from '@tsukube/apiserver';
import type { BoundRole, Subject } from './bound-role.ts';

/** The bindings of one namespace, or of the cluster, by whom they are about. */
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

  /** Calls back with each set of bindings that is about the user, until that returns true. */
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

  #mapOf({ as }: Subject): Map<string, Set<BoundRole>> {
    return as === 'user' ? this.#users : this.#groups;
  }
}
