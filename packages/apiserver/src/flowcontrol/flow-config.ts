import { isObject, type JsonObject, type JsonValue } from '@tsukube/machinery';

/** The relevant fields of a PriorityLevelConfiguration. */
export interface LevelConfig {
  readonly name: string;
  readonly uid: string;
  readonly response: LimitResponse;
  readonly shares: number;
  readonly lendablePercent: number;
  /** Undefined: no limit. */
  readonly borrowingLimitPercent: number | undefined;
}

export type LimitResponse =
  | { readonly to: 'exempt' }
  | { readonly to: 'reject' }
  | { readonly to: 'queue'; readonly queues: number; readonly handSize: number; readonly lengthLimit: number };

/** The relevant fields of a FlowSchema. */
export interface SchemaConfig {
  readonly name: string;
  readonly uid: string;
  readonly level: string;
  readonly precedence: number;
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined;
  readonly rules: readonly FlowRule[];
}

export interface FlowRule {
  readonly subjects: readonly FlowSubject[];
  readonly resourceRules: readonly ResourcePolicyRule[];
  readonly pathRules: readonly NonResourcePolicyRule[];
}

export type FlowSubject =
  | { readonly kind: 'User'; readonly name: string }
  | { readonly kind: 'Group'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string };

export interface ResourcePolicyRule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly namespaces: readonly string[];
  readonly clusterScope: boolean;
}

export interface NonResourcePolicyRule {
  readonly verbs: readonly string[];
  readonly paths: readonly string[];
}

/** Stored objects were validated; invalid ones are ignored. */
export function readLevel(object: JsonObject): LevelConfig | undefined {
  const { name, uid } = metadata(object);
  const spec = member(object, 'spec');
  const response = responseOf(spec);
  if (!response || (response.to === 'exempt') !== (name === 'exempt')) return undefined;
  const terms = member(spec, response.to === 'exempt' ? 'exempt' : 'limited');
  return {
    name,
    uid,
    response,
    shares: numeric(terms.nominalConcurrencyShares) ?? 0,
    lendablePercent: numeric(terms.lendablePercent) ?? 0,
    borrowingLimitPercent: numeric(terms.borrowingLimitPercent),
  };
}

function responseOf(spec: JsonObject): LimitResponse | undefined {
  if (spec.type === 'Exempt') return { to: 'exempt' };
  const response = member(member(spec, 'limited'), 'limitResponse');
  if (spec.type !== 'Limited' || response.type === undefined) return undefined;
  if (response.type === 'Reject') return { to: 'reject' };
  const queuing = member(response, 'queuing');
  const [queues, handSize, lengthLimit] = ['queues', 'handSize', 'queueLengthLimit'].map((field) => numeric(queuing[field]) ?? 0);
  if (!queues || !handSize || !lengthLimit || handSize > queues) return undefined;
  return { to: 'queue', queues, handSize, lengthLimit };
}

export function readSchema(object: JsonObject): SchemaConfig {
  const spec = member(object, 'spec');
  const method = member(spec, 'distinguisherMethod').type;
  return {
    ...metadata(object),
    level: text(member(spec, 'priorityLevelConfiguration').name),
    precedence: numeric(spec.matchingPrecedence) ?? 0,
    distinguisher: method === 'ByUser' || method === 'ByNamespace' ? method : undefined,
    rules: objects(spec.rules).map(readRule),
  };
}

function readRule(rule: JsonObject): FlowRule {
  return {
    subjects: objects(rule.subjects).flatMap((subject) => readSubject(subject) ?? []),
    resourceRules: objects(rule.resourceRules).map(readResourceRule),
    pathRules: objects(rule.nonResourceRules).map(readPathRule),
  };
}

function readSubject(subject: JsonObject): FlowSubject | undefined {
  const { kind } = subject;
  if (kind === 'User') return { kind, name: text(member(subject, 'user').name) };
  if (kind === 'Group') return { kind, name: text(member(subject, 'group').name) };
  if (kind !== 'ServiceAccount') return undefined;
  const { namespace, name } = member(subject, 'serviceAccount');
  return { kind, namespace: text(namespace), name: text(name) };
}

function readResourceRule(rule: JsonObject): ResourcePolicyRule {
  return {
    verbs: texts(rule.verbs),
    groups: texts(rule.apiGroups),
    resources: texts(rule.resources),
    namespaces: texts(rule.namespaces),
    clusterScope: rule.clusterScope === true,
  };
}

function readPathRule(rule: JsonObject): NonResourcePolicyRule {
  return { verbs: texts(rule.verbs), paths: texts(rule.nonResourceURLs) };
}

function metadata(object: JsonObject): { readonly name: string; readonly uid: string } {
  const { name, uid } = member(object, 'metadata');
  return { name: text(name), uid: text(uid) };
}

function member(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isObject(value) ? value : {};
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numeric(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
