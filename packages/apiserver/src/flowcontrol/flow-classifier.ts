import { createHash } from 'node:crypto';
import { BoundedCache } from '@tsukube/machinery';
import type { User } from '../http/api-request.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { FlowControlMetrics } from '../metrics/flow-control-metrics.ts';
import type { Flow } from './flow.ts';
import type { FlowRule, FlowSubject, NonResourcePolicyRule, ResourcePolicyRule, SchemaConfig } from './flow-config.ts';
import type { PriorityLevel } from './priority-level.ts';

/** Flows of one user. */
export interface UserFlows {
  flowOf(info: RequestInfo, path: string): Flow;
}

/** A FlowSchema with only the rules that match the user's identity. */
interface Candidate {
  readonly rules: readonly FlowRule[];
  flowIn(namespace: string): Flow;
}

/** Cached flows per user and schema, because clients choose the namespaces. */
const maxFlows = 1000;

/** Matches subjects once per user, so that each request is compared with few rules. Schemas are in order of precedence. */
export function flowClassifier(
  schemas: readonly SchemaConfig[],
  levels: ReadonlyMap<string, PriorityLevel>,
  metrics: FlowControlMetrics,
): (user: User) => UserFlows {
  const known = new WeakMap<User, UserFlows>();
  const fallback = schemas.find(({ name }) => name === 'catch-all') as SchemaConfig;
  const sourceOf = (user: User): UserFlows => {
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
  if (schema.distinguisher === 'ByNamespace') return { rules, flowIn: flowsByNamespace(make) };
  let flow: Flow | undefined;
  const flowIn = () => {
    flow ??= make(schema.distinguisher === 'ByUser' ? user.name : '');
    return flow;
  };
  return { rules, flowIn };
}

function flowsByNamespace(create: (namespace: string) => Flow): (namespace: string) => Flow {
  const flows = new BoundedCache<string, Flow>({ entries: maxFlows });
  return (namespace) => flows.getOrCreate(namespace, create);
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

function matchesUser({ subjects }: FlowRule, user: User): boolean {
  return subjects.some((subject) => isSubject(subject, user));
}

function isSubject(subject: FlowSubject, user: User): boolean {
  if (subject.kind === 'User') return subject.name === '*' || subject.name === user.name;
  if (subject.kind === 'Group') return subject.name === '*' || user.groups.includes(subject.name);
  const account = `system:serviceaccount:${subject.namespace}:`;
  return subject.name === '*' ? user.name.startsWith(account) : user.name === `${account}${subject.name}`;
}

/** Whether a rule, whose subjects already match, matches a request. */
function matchesRequest({ resourceRules, pathRules }: FlowRule, info: RequestInfo, path: string): boolean {
  if (info.isResource) {
    for (const rule of resourceRules) if (matchesResource(rule, info)) return true;
    return false;
  }
  for (const rule of pathRules) if (matchesPath(rule, info.verb, path)) return true;
  return false;
}

function matchesResource(rule: ResourcePolicyRule, { verb, group, resource, subresource, namespace }: RequestInfo): boolean {
  if (!contains(rule.verbs, verb) || !contains(rule.groups, group)) return false;
  if (namespace === '' ? !rule.clusterScope : !contains(rule.namespaces, namespace)) return false;
  if (isAll(rule.resources)) return true;
  return rule.resources.includes(subresource === '' ? resource : `${resource}/${subresource}`);
}

function matchesPath({ verbs, paths }: NonResourcePolicyRule, verb: string, path: string): boolean {
  return (
    contains(verbs, verb) && paths.some((pattern) => pattern === '*' || pattern === path || path.startsWith(folder(pattern)))
  );
}

/** A path rule matches everything below it, with or without a trailing star. */
function folder(pattern: string): string {
  const start = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern;
  return start.endsWith('/') ? start : `${start}/`;
}

function contains(list: readonly string[], value: string): boolean {
  return isAll(list) || list.includes(value);
}

function isAll(list: readonly string[]): boolean {
  return list.length === 1 && list[0] === '*';
}

/** Hash of the flow identifier: schema name and flow distinguisher. */
export function flowHash(schema: string, distinguisher: string): bigint {
  return createHash('sha256').update(schema).update('\0').update(distinguisher).digest().readBigUInt64LE(0);
}

/** Shuffle sharding: deals a hand of distinct queues from the digits of the hash. */
export function dealHand(hash: bigint, deckSize: number, handSize: number): readonly number[] {
  const hand: number[] = [];
  const remainders: number[] = [];
  let rest = hash;
  for (let i = 0; i < handSize; i++) {
    const left = BigInt(deckSize - i);
    remainders.push(Number(rest % left));
    rest /= left;
  }
  for (let i = 0; i < handSize; i++) hand.push(cardAt(remainders, i));
  return hand;
}

/** Each remainder indexes the cards that are left, so earlier cards are skipped. */
function cardAt(remainders: readonly number[], i: number): number {
  let card = remainders[i] as number;
  for (let j = i; j > 0; j--) if (card >= (remainders[j - 1] as number)) card++;
  return card;
}
