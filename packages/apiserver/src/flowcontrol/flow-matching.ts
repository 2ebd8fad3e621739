import type { User } from '../http/request.ts';
import type { RequestInfo } from '../routing/request-info.ts';
import type { FlowRule, FlowSubject, PathRule, ResourceRule } from './flow-config.ts';

export function matchesUser({ subjects }: FlowRule, user: User): boolean {
  return subjects.some((subject) => isSubject(subject, user));
}

function isSubject(subject: FlowSubject, user: User): boolean {
  if (subject.kind === 'User') return subject.name === '*' || subject.name === user.name;
  if (subject.kind === 'Group') return subject.name === '*' || user.groups.includes(subject.name);
  const account = `system:serviceaccount:${subject.namespace}:`;
  return subject.name === '*' ? user.name.startsWith(account) : user.name === `${account}${subject.name}`;
}

/** Whether a rule whose subjects are met is about a request. */
export function matchesRequest({ resourceRules, pathRules }: FlowRule, info: RequestInfo, path: string): boolean {
  if (info.isResource) {
    for (const rule of resourceRules) if (matchesResource(rule, info)) return true;
    return false;
  }
  for (const rule of pathRules) if (matchesPath(rule, info.verb, path)) return true;
  return false;
}

function matchesResource(rule: ResourceRule, { verb, group, resource, subresource, namespace }: RequestInfo): boolean {
  if (!contains(rule.verbs, verb) || !contains(rule.groups, group)) return false;
  if (namespace === '' ? !rule.clusterScope : !contains(rule.namespaces, namespace)) return false;
  if (isAll(rule.resources)) return true;
  return rule.resources.includes(subresource === '' ? resource : `${resource}/${subresource}`);
}

function matchesPath({ verbs, paths }: PathRule, verb: string, path: string): boolean {
  return (
    contains(verbs, verb) && paths.some((pattern) => pattern === '*' || pattern === path || path.startsWith(folder(pattern)))
  );
}

/** A path stands for what is below it, with or without a star at its end. */
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
