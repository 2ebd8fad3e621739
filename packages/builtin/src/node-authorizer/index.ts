import {
  type AccessAttributes,
  type Authorizer,
  decodeObject,
  followObjects,
  noOpinion,
  noRules,
  type ObjectListener,
  type User,
  type Verdict,
} from '@tsukube/apiserver';
import { goQuote, type KubeObject, objectIn, textIn } from '@tsukube/machinery';
import type { FindRegistry } from '../rbac/authorizer/rbac-authorizer.ts';
import { nodeRules } from '../rbac/bootstrap/policy.ts';
import { combinedResource, compileRule } from '../rbac/rules/compiled-rule.ts';
import { NodeGraph, type Target, target } from './node-graph.ts';
import { nodeResourceRules } from './node-rules.ts';
import { podReferences, volumeReferences } from './object-references.ts';

export interface NodeAuthorizer {
  readonly authorizer: Authorizer;
  stop(): void;
}

const allowed: Verdict = { decision: 'allow', reason: '' };
export const nodeUserPrefix = 'system:node:';

/** The node name of a user in group system:nodes; undefined for other users. */
export function nodeNameOfUser({ name, groups }: User): string | undefined {
  return name.startsWith(nodeUserPrefix) && groups.includes('system:nodes') ? name.slice(nodeUserPrefix.length) : undefined;
}

/** The Node authorizer: nodes may read secrets, config maps, claims and volumes of their pods only. Objects are followed from the first request of a node on. */
export function nodeAuthorizer(findRegistry: FindRegistry): NodeAuthorizer {
  const graph = new NodeGraph();
  const rules = nodeRules().map(compileRule);
  let following: Promise<() => void> | undefined;
  let isComplete = false;

  const follow = (): Promise<() => void> => {
    const begun = followGraph(graph, findRegistry);
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
    const rule = access.isResource ? nodeResourceRules[`${access.resource}.${access.group}`] : undefined;
    if (!rule) return rules.some((allows) => allows(access, combinedResource(access))) ? allowed : noOpinion;
    const decision = rule(node, access, graph);
    return decision === true ? allowed : { decision: 'no opinion', reason: decision };
  };
  return {
    authorizer: {
      authorize(access) {
        const node = nodeNameOfUser(access.user);
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
        nodeNameOfUser(user) === undefined
          ? noRules
          : { ...noRules, incomplete: true, error: 'node authorizer does not support user rule resolution' },
    },
    stop: () => void following?.then((stop) => stop()).catch(() => {}),
  };
}

/** Keeps the graph in step with pods, volumes, attachments and slices. Resolves once it is complete. */
async function followGraph(graph: NodeGraph, findRegistry: FindRegistry): Promise<() => void> {
  const related = (kind: string, targets: (object: KubeObject, namespace: string, name: string) => readonly Target[]) =>
    followNodeName(graph, kind, targets);
  const followed: [string, string, ObjectListener][] = [
    ['', 'pods', related('pod', podReferences)],
    ['storage.k8s.io', 'volumeattachments', related('attachment', (_, __, name) => [target('attachment', '', name)])],
    ['resource.k8s.io', 'resourceslices', related('slice', (_, __, name) => [target('slice', '', name)])],
    ['', 'persistentvolumes', followVolumes(graph)],
  ];
  const stops = await Promise.all(
    followed.map(([group, plural, follower]) => {
      const registry = findRegistry(group, plural);
      return registry ? followObjects(registry, follower) : () => {};
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}

/** Objects with a spec.nodeName. */
function followNodeName(
  graph: NodeGraph,
  kind: string,
  targets: (object: KubeObject, namespace: string, name: string) => readonly Target[],
): ObjectListener {
  const sourceOf = (namespace: string, name: string) => `${kind} ${namespace}/${name}`;
  return {
    put(namespace, name, { value }) {
      const object = value.includes('"nodeName":') ? decodeObject(value) : undefined;
      const node = textIn(objectIn(object, 'spec'), 'nodeName');
      if (!object || node === '') graph.forget(sourceOf(namespace, name));
      else graph.relate(sourceOf(namespace, name), node, targets(object, namespace, name));
    },
    remove: (namespace, name) => graph.forget(sourceOf(namespace, name)),
  };
}

function followVolumes(graph: NodeGraph): ObjectListener {
  return {
    put(_namespace, name, { value }) {
      const references = volumeReferences(decodeObject(value));
      if (references) graph.bindVolume(name, references.claim, references.secrets);
      else graph.forgetVolume(name);
    },
    remove: (_namespace, name) => graph.forgetVolume(name),
  };
}
