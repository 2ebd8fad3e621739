import {
  FieldErrors,
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  nameIsDNSSubdomain,
  path,
  trimRight,
} from '@tsukube/machinery';
import type { IncomingRequest, User } from '../http/api-request.ts';
import type { RequestInfo } from '../http/request-info.ts';

export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
/** How much of a request is logged. */
export type AuditLevel = (typeof levels)[number];

export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof stages)[number];

/** The audit policy. The first rule that matches a request decides. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
}

export interface AuditRule {
  readonly level: AuditLevel;
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly namespaces: readonly string[];
  readonly resources: readonly GroupResources[];
  readonly nonResourceUrls: readonly string[];
}

export interface GroupResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** The first matching rule; undefined if the request is not logged. */
export function ruleFor(policy: AuditPolicy, { info, path }: IncomingRequest, user: User | undefined): AuditRule | undefined {
  const found = policy.rules.find((rule) => isAbout(rule, info, path, user));
  return found?.level === 'None' ? undefined : found;
}

function isAbout(rule: AuditRule, info: RequestInfo, path: string, user: User | undefined): boolean {
  if (rule.users.length > 0 && !(user && rule.users.includes(user.name))) return false;
  if (rule.userGroups.length > 0 && !user?.groups.some((group) => rule.userGroups.includes(group))) return false;
  if (rule.verbs.length > 0 && !rule.verbs.includes(info.verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return info.isResource && isAboutResource(rule, info);
  if (rule.nonResourceUrls.length === 0) return true;
  return !info.isResource && rule.nonResourceUrls.some((pattern) => matchesPath(path, pattern));
}

function matchesPath(path: string, pattern: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(trimRight(pattern, '*'));
}

function isAboutResource({ namespaces, resources }: AuditRule, info: RequestInfo): boolean {
  if (namespaces.length > 0 && !namespaces.includes(info.namespace)) return false;
  return resources.length === 0 || resources.some((group) => includesResource(group, info));
}

function includesResource({ group, resources, resourceNames }: GroupResources, info: RequestInfo): boolean {
  if (group !== '*' && group !== info.group) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
  return resources.some((pattern) => matchesResource(pattern, info));
}

/** Matches `pods`, `pods/log`, `pods/*`, `*`, or a star with a subresource. */
function matchesResource(pattern: string, { resource, subresource }: RequestInfo): boolean {
  if (pattern === '*' || pattern === (subresource === '' ? resource : `${resource}/${subresource}`)) return true;
  if (subresource !== '' && pattern === `*/${subresource}`) return true;
  return pattern === `${resource}/*`;
}

/** Reads a Policy of audit.k8s.io/v1. Throws an Error that lists all invalid fields, as kube-apiserver words them. */
export function readAuditPolicy(document: JsonValue): AuditPolicy {
  if (!isObject(document)) throw new Error('failed decoding: the policy must be an object');
  const { apiVersion, kind } = document;
  if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy')
    throw new Error(`unknown group version field ${apiVersion ?? ''}, Kind=${kind ?? ''} in policy`);
  const errors = new FieldErrors();
  const omitStages = readStages(document, path('omitStages'), errors);
  const omitManagedFields = document.omitManagedFields === true;
  const rules = objectsIn(document, 'rules', path('rules'), errors).map((rule, i) =>
    readRule(rule, path('rules').index(i), { omitStages, omitManagedFields }, errors),
  );
  if (errors.list.length > 0) throw new Error(errors.toString());
  if (rules.length === 0) throw new Error('loaded illegal policy with 0 rules');
  return { rules };
}

type Defaults = Pick<AuditRule, 'omitStages' | 'omitManagedFields'>;

function readRule(rule: JsonObject, at: FieldPath, defaults: Defaults, errors: FieldErrors): AuditRule {
  const texts = (field: string) => textsIn(rule, field, at.child(field), errors);
  const read: AuditRule = {
    level: readLevel(rule.level, at.child('level'), errors),
    omitStages: [...new Set([...defaults.omitStages, ...readStages(rule, at.child('omitStages'), errors)])],
    omitManagedFields: typeof rule.omitManagedFields === 'boolean' ? rule.omitManagedFields : defaults.omitManagedFields,
    users: texts('users'),
    userGroups: texts('userGroups'),
    verbs: texts('verbs'),
    namespaces: texts('namespaces'),
    resources: objectsIn(rule, 'resources', at.child('resources'), errors).map((group) =>
      readResources(group, at.child('resources'), errors),
    ),
    nonResourceUrls: texts('nonResourceURLs'),
  };
  validateUrls(read, at.child('nonResourceURLs'), errors);
  return read;
}

function readLevel(level: JsonValue | undefined, at: FieldPath, errors: FieldErrors): AuditLevel {
  const found = levels.find((known) => known === level);
  if (level === undefined || level === '') errors.required(at);
  else if (found === undefined) errors.notSupported(at, level, [...levels]);
  return found ?? 'None';
}

function readStages(owner: JsonObject, at: FieldPath, errors: FieldErrors): readonly AuditStage[] {
  const given = textsIn(owner, 'omitStages', at, errors);
  for (const [i, stage] of given.entries())
    if (!stages.some((known) => known === stage)) errors.invalid(at.index(i), stage, `allowed stages are ${stages.join(',')}`);
  return stages.filter((stage) => given.includes(stage));
}

function readResources(group: JsonObject, at: FieldPath, errors: FieldErrors): GroupResources {
  const name = typeof group.group === 'string' ? group.group : '';
  const [resources, resourceNames] = ['resources', 'resourceNames'].map((field) =>
    textsIn(group, field, at.child(field), errors),
  );
  const problems = name === '' || name === '*' ? [] : nameIsDNSSubdomain(name, false);
  if (problems.length > 0) errors.invalid(at.child('group'), name, problems.join(','));
  if (resourceNames?.length && !resources?.length)
    errors.invalid(at.child('resourceNames'), [...resourceNames], 'using resourceNames requires at least one resource');
  return { group: name, resources: resources ?? [], resourceNames: resourceNames ?? [] };
}

function validateUrls({ nonResourceUrls, resources, namespaces }: AuditRule, at: FieldPath, errors: FieldErrors): void {
  for (const [i, url] of nonResourceUrls.entries()) {
    if (url === '*') continue;
    if (!url.startsWith('/')) errors.invalid(at.index(i), url, "non-resource URL rules must begin with a '/' character");
    if (url.slice(0, -1).includes('*'))
      errors.invalid(at.index(i), url, "non-resource URL wildcards '*' must be the final character of the rule");
  }
  if (nonResourceUrls.length > 0 && resources.length + namespaces.length > 0)
    errors.invalid(at, [...nonResourceUrls], 'rules cannot apply to both regular resources and non-resource URLs');
}

function textsIn(owner: JsonObject, field: string, at: FieldPath, errors: FieldErrors): readonly string[] {
  const value = owner[field] ?? [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  errors.invalid(at, value, 'must be a list of strings');
  return [];
}

function objectsIn(owner: JsonObject, field: string, at: FieldPath, errors: FieldErrors): readonly JsonObject[] {
  const value = owner[field] ?? [];
  if (Array.isArray(value) && value.every(isObject)) return value;
  errors.invalid(at, value, 'must be a list of objects');
  return [];
}
