import type { coreV1 } from '@tsukube/api/kinds';
import { matches, selectorOf } from '../pods/ownership.ts';
import type { NodeUsage } from './resources.ts';

type Node = coreV1.Node;
type Pod = coreV1.Pod;

interface Placement {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** Why nodes are excluded by pods that run elsewhere: inter-pod affinity and topology spread constraints. */
export function topologyFilter(pod: Pod, nodes: readonly Node[], usage: NodeUsage): (node: Node) => string | undefined {
  const { affinity, topologySpreadConstraints = [] } = pod.spec ?? {};
  const required = affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const forbidden = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const spread = topologySpreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  if (required.length + forbidden.length + spread.length === 0) return () => undefined;
  const placements = nodes.map((node) => ({ node, pods: [...usage.podsOn(node.metadata.name ?? '').values()] }));
  const affinityFits = required.map((term) => affinityFit(term, pod, placements));
  const antiDomains = forbidden.map((term) => ({ term, domains: domainsWith(term, pod, placements) }));
  const spreads = spread.map((constraint) => spreadFit(constraint, pod, placements));
  return (node) => {
    if (!affinityFits.every((fits) => fits(node))) return "node(s) didn't match pod affinity rules";
    if (antiDomains.some(({ term, domains }) => domains.has(domainOf(node, term.topologyKey) ?? '')))
      return "node(s) didn't match pod anti-affinity rules";
    return spreads.map((reason) => reason(node)).find((reason) => reason !== undefined);
  };
}

function domainOf({ metadata }: Node, key: string): string | undefined {
  return metadata.labels?.[key];
}

/** Whether a term of (anti-)affinity of a pod selects another pod. */
function selects(term: coreV1.PodAffinityTerm, pod: Pod, other: Pod): boolean {
  const namespaces = term.namespaces?.length ? term.namespaces : [pod.metadata.namespace ?? ''];
  const isInNamespace = term.namespaceSelector !== undefined || namespaces.includes(other.metadata.namespace ?? '');
  return isInNamespace && matches(selectorOf(term.labelSelector), other);
}

function domainsWith(term: coreV1.PodAffinityTerm, pod: Pod, placements: readonly Placement[]): Set<string> {
  const occupied = placements.filter(({ pods }) => pods.some((other) => selects(term, pod, other)));
  return new Set(occupied.map(({ node }) => domainOf(node, term.topologyKey)).filter((domain) => domain !== undefined));
}

/** The first pod of a group that has affinity to itself may go anywhere. */
function affinityFit(term: coreV1.PodAffinityTerm, pod: Pod, placements: readonly Placement[]): (node: Node) => boolean {
  const domains = domainsWith(term, pod, placements);
  const isFirst = domains.size === 0 && selects(term, pod, pod);
  return (node) => {
    const domain = domainOf(node, term.topologyKey);
    return domain !== undefined && (isFirst || domains.has(domain));
  };
}

function spreadFit(
  constraint: coreV1.TopologySpreadConstraint,
  pod: Pod,
  placements: readonly Placement[],
): (node: Node) => string | undefined {
  const { topologyKey, maxSkew, labelSelector } = constraint;
  const selector = selectorOf(labelSelector);
  const counts = new Map<string, number>();
  for (const { node, pods } of placements) {
    const domain = domainOf(node, topologyKey);
    if (domain === undefined) continue;
    const matching = pods.filter((other) => other.metadata.namespace === pod.metadata.namespace && matches(selector, other));
    counts.set(domain, (counts.get(domain) ?? 0) + matching.length);
  }
  const least = Math.min(...counts.values());
  const own = matches(selector, pod) ? 1 : 0;
  return (node) => {
    const domain = domainOf(node, topologyKey);
    if (domain === undefined) return "node(s) didn't match pod topology spread constraints (missing required label)";
    return (counts.get(domain) ?? 0) + own - least > maxSkew ? "node(s) didn't match pod topology spread constraints" : undefined;
  };
}
