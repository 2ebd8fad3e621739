import type { AccessAttributes } from '@tsukube/apiserver';
import { trimRight } from '@tsukube/machinery';
import type { PolicyRule } from './policy-rule.ts';

/** Whether a rule allows a request. `resource` is resource/subresource, joined once for all rules. */
export type CompiledRule = (access: AccessAttributes, resource: string) => boolean;

/** One predicate per list; the first mismatch ends the evaluation. */
export function compileRule(rule: PolicyRule): CompiledRule {
  const verb = member(rule.verbs);
  const path = pathMatcher(rule.nonResourceURLs);
  const group = member(rule.apiGroups);
  const resource = resourceMatcher(rule.resources);
  const names = rule.resourceNames.length === 0 ? undefined : new Set(rule.resourceNames);
  return (access, combined) => {
    if (!verb(access.verb)) return false;
    if (!access.isResource) return path(access.path);
    return group(access.group) && resource(combined, access.subresource) && (names === undefined || names.has(access.name));
  };
}

/** resource/subresource, as in rules. */
export function combinedResource({ resource, subresource }: AccessAttributes): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

function member(list: readonly string[]): (text: string) => boolean {
  if (list.includes('*')) return () => true;
  const [only] = list;
  if (list.length === 1) return (text) => text === only;
  const texts = new Set(list);
  return (text) => texts.has(text);
}

function resourceMatcher(list: readonly string[]): (combined: string, subresource: string) => boolean {
  const named = member(list);
  const ofAny = new Set(list.filter((text) => text.startsWith('*/')).map((text) => text.slice(2)));
  if (ofAny.size === 0) return named;
  return (combined, subresource) => named(combined) || (subresource !== '' && ofAny.has(subresource));
}

function pathMatcher(list: readonly string[]): (path: string) => boolean {
  if (list.length === 0) return () => false;
  const exact = member(list);
  const beginnings = list.filter((text) => text.endsWith('*')).map((text) => trimRight(text, '*'));
  return (path) => exact(path) || beginnings.some((beginning) => path.startsWith(beginning));
}
