import { trimRight } from '@tsukube/machinery';
import type { IncomingRequest } from '../http/api-request.ts';
import type { User } from '../http/request.ts';
import type { RequestInfo } from '../routing/request-info.ts';

export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
/** How much of a request is taken down. */
export type AuditLevel = (typeof levels)[number];

export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof stages)[number];

/** What is taken down of requests, by the first rule that is about them. */
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

/** The rule for a request; undefined if nothing is taken down of it. */
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

/** `pods`, `pods/log`, `*`, `pods/*` or the same subresource of all: a star, a slash and its name. */
function matchesResource(pattern: string, { resource, subresource }: RequestInfo): boolean {
  if (pattern === '*' || pattern === (subresource === '' ? resource : `${resource}/${subresource}`)) return true;
  if (subresource !== '' && pattern === `*/${subresource}`) return true;
  return pattern === `${resource}/*`;
}
