import type { AccessAttributes, User, Verdict } from '@tsukube/apiserver';
import { combinedResource } from '../rules/compiled-rule.ts';

const maxRemembered = 1000;

interface Remembered {
  readonly epoch: number;
  readonly verdicts: Map<string, Verdict>;
}

/** Verdicts for users that are the same object, which none ever changes, until a role or binding changes. */
export class DecisionMemory {
  readonly #users = new WeakMap<User, Remembered>();

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

/** With the lengths of its parts, so that no two questions share a key. A verb of a path is a method. */
function keyOf(access: AccessAttributes): string {
  if (!access.isResource) return `${access.verb}\n${access.path}`;
  const { verb, group, namespace, name } = access;
  return [verb, group, combinedResource(access), namespace, name].map((part) => `${part.length} ${part}`).join('\n');
}
