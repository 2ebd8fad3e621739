import { type AccessAttributes, type Authorizer, noOpinion, noRules, type User, type Verdict } from '@tsukube/apiserver';
import { goQuote } from '@tsukube/machinery';
import type { FindRegistry } from '../rbac/authorizer/index.ts';
import { nodeRules } from '../rbac/bootstrap/policy.ts';
import { combinedResource, compileRule } from '../rbac/rules/compiled-rule.ts';
import { followRelations } from './follow-relations.ts';
import { NodeRelations } from './node-relations.ts';
import { ownResources } from './node-rules.ts';

export interface NodeAuthorizer {
  readonly authorizer: Authorizer;
  stop(): void;
}

const allowed: Verdict = { decision: 'allow', reason: '' };
export const nodeUserPrefix = 'system:node:';

/** The name of the node that a user is; undefined for everyone else. */
export function nodeOf({ name, groups }: User): string | undefined {
  return name.startsWith(nodeUserPrefix) && groups.includes('system:nodes') ? name.slice(nodeUserPrefix.length) : undefined;
}

/** Lets nodes have what they need, and of that which is secret only what their pods need. Nothing is followed before a node asks. */
export function nodeAuthorizer(findRegistry: FindRegistry): NodeAuthorizer {
  const relations = new NodeRelations();
  const rules = nodeRules().map(compileRule);
  let following: Promise<() => void> | undefined;
  let isComplete = false;

  const follow = (): Promise<() => void> => {
    const begun = followRelations(relations, findRegistry);
    begun.then(
      () => {
        isComplete = true;
      },
      () => {
        following = undefined;
      },
    );
    return begun;
  };
  const decide = (node: string, access: AccessAttributes): Verdict => {
    const rule = access.isResource ? ownResources[`${access.resource}.${access.group}`] : undefined;
    if (!rule) return rules.some((allows) => allows(access, combinedResource(access))) ? allowed : noOpinion;
    const decision = rule(node, access, relations);
    return decision === true ? allowed : { decision: 'no opinion', reason: decision };
  };
  return {
    authorizer: {
      authorize(access) {
        const node = nodeOf(access.user);
        if (node === undefined) return noOpinion;
        if (node === '') return { decision: 'no opinion', reason: `unknown node for user ${goQuote(access.user.name)}` };
        if (isComplete) return decide(node, access);
        following ??= follow();
        return following.then(
          () => decide(node, access),
          (error) => ({ decision: 'no opinion', reason: '', error: String(error) }),
        );
      },
      rulesFor: (user) =>
        nodeOf(user) === undefined
          ? noRules
          : { ...noRules, incomplete: true, error: 'node authorizer does not support user rule resolution' },
    },
    stop: () => void following?.then((stop) => stop()).catch(() => {}),
  };
}
