import type { User } from '../http/request.ts';
import type { FlowControlMetrics } from '../metrics/flow-control-metrics.ts';
import type { RequestInfo } from '../routing/request-info.ts';
import type { Flow } from './flow.ts';
import type { FlowRule, SchemaConfig } from './flow-config.ts';
import { matchesRequest, matchesUser } from './flow-matching.ts';
import type { PriorityLevel } from './priority-level.ts';
import { dealHand, flowHash } from './shuffle-sharding.ts';

/** The flows of one user. */
export interface FlowSource {
  flowOf(info: RequestInfo, path: string): Flow;
}

/** A schema as one user meets it: only the rules that are about them. */
interface Candidate {
  readonly rules: readonly FlowRule[];
  flowIn(namespace: string): Flow;
}

/** Namespaces are many, and clients name any: beyond so many the flows are made anew. */
const maxFlows = 1000;

/** Subjects are compared once for each user, so that a request is compared with few rules. Schemas are in order. */
export function flowSource(
  schemas: readonly SchemaConfig[],
  levels: ReadonlyMap<string, PriorityLevel>,
  metrics: FlowControlMetrics,
): (user: User) => FlowSource {
  const known = new WeakMap<User, FlowSource>();
  const fallback = schemas.find(({ name }) => name === 'catch-all') as SchemaConfig;
  const sourceOf = (user: User): FlowSource => {
    const candidates = schemas.flatMap((schema) => candidateOf(schema, user, levels, metrics) ?? []);
    const last = candidateFor(fallback, [], user, levels, metrics);
    return { flowOf: (info, path) => (firstMatch(candidates, info, path) ?? last).flowIn(info.namespace) };
  };
  return (user) => {
    let source = known.get(user);
    if (!source) {
      source = sourceOf(user);
      known.set(user, source);
    }
    return source;
  };
}

function firstMatch(candidates: readonly Candidate[], info: RequestInfo, path: string): Candidate | undefined {
  for (const candidate of candidates) for (const rule of candidate.rules) if (matchesRequest(rule, info, path)) return candidate;
  return undefined;
}

function candidateOf(
  schema: SchemaConfig,
  user: User,
  levels: ReadonlyMap<string, PriorityLevel>,
  metrics: FlowControlMetrics,
): Candidate | undefined {
  const rules = schema.rules.filter((rule) => matchesUser(rule, user));
  return rules.length === 0 ? undefined : candidateFor(schema, rules, user, levels, metrics);
}

function candidateFor(
  schema: SchemaConfig,
  rules: readonly FlowRule[],
  user: User,
  levels: ReadonlyMap<string, PriorityLevel>,
  metrics: FlowControlMetrics,
): Candidate {
  const make = (distinguisher: string) => makeFlow(schema, distinguisher, levels.get(schema.level) as PriorityLevel, metrics);
  if (schema.distinguisher === 'ByNamespace') return { rules, flowIn: remembered(make) };
  let flow: Flow | undefined;
  const flowIn = () => {
    flow ??= make(schema.distinguisher === 'ByUser' ? user.name : '');
    return flow;
  };
  return { rules, flowIn };
}

function remembered(make: (namespace: string) => Flow): (namespace: string) => Flow {
  const flows = new Map<string, Flow>();
  return (namespace) => {
    let flow = flows.get(namespace);
    if (!flow) {
      if (flows.size >= maxFlows) flows.clear();
      flow = make(namespace);
      flows.set(namespace, flow);
    }
    return flow;
  };
}

function makeFlow(schema: SchemaConfig, distinguisher: string, level: PriorityLevel, metrics: FlowControlMetrics): Flow {
  const { response, uid } = level.config;
  const told = response.to === 'queue' && response.queues > 1 ? distinguisher : '';
  const hash = response.to === 'queue' && response.queues > 1 ? flowHash(schema.name, told) : 0n;
  return {
    schema: schema.name,
    level,
    distinguisher: told,
    hand: response.to === 'queue' ? dealHand(hash, response.queues, response.handSize) : [],
    series: metrics.flow(level.name, schema.name),
    headers: { 'x-kubernetes-pf-flowschema-uid': schema.uid, 'x-kubernetes-pf-prioritylevel-uid': uid },
  };
}
