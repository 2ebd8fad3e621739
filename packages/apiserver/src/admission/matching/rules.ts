import { type JsonObject, objectsIn, textIn, textsIn } from '@tsukube/machinery';
import type { AdmissionAttributes, AdmissionOperation } from '../../registry/admission.ts';
import type { ServedVersion } from '../../registry/resource.ts';

/** A RuleWithOperations or NamedRuleWithOperations, compiled. */
export interface AdmissionRule {
  readonly operations: ReadonlySet<string> | 'all';
  readonly groups: ReadonlySet<string> | 'all';
  readonly versions: ReadonlySet<string> | 'all';
  readonly resources: readonly RuleResource[];
  readonly scope: string;
  /** Empty if any name matches. */
  readonly resourceNames: readonly string[];
}

/** `pods`, `pods/status`, `pods/*`, `*`, `*` with a subresource. */
interface RuleResource {
  readonly resource: string;
  readonly subresource: string;
}

export function compileRules(owner: JsonObject, list: string): readonly AdmissionRule[] {
  return objectsIn(owner, list).map(compileRule);
}

function compileRule(rule: JsonObject): AdmissionRule {
  return {
    operations: namesIn(rule, 'operations'),
    groups: namesIn(rule, 'apiGroups'),
    versions: namesIn(rule, 'apiVersions'),
    resources: textsIn(rule, 'resources').map(splitResource),
    scope: textIn(rule, 'scope') || '*',
    resourceNames: textsIn(rule, 'resourceNames'),
  };
}

function namesIn(rule: JsonObject, list: string): ReadonlySet<string> | 'all' {
  const names = textsIn(rule, list);
  return names.includes('*') ? 'all' : new Set(names);
}

function splitResource(text: string): RuleResource {
  const slash = text.indexOf('/');
  return slash < 0 ? { resource: text, subresource: '' } : { resource: text.slice(0, slash), subresource: text.slice(slash + 1) };
}

/** Whether a rule matches the request, as if it had been made in the given version. */
export function matchesRule(rule: AdmissionRule, attributes: AdmissionAttributes, version: ServedVersion): boolean {
  return (
    matchesOperation(rule, attributes.operation) &&
    has(rule.groups, version.group) &&
    has(rule.versions, version.version) &&
    matchesResource(rule, attributes) &&
    matchesScope(rule.scope, attributes)
  );
}

export function matchesName({ resourceNames }: AdmissionRule, { name }: AdmissionAttributes): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

function matchesOperation({ operations }: AdmissionRule, operation: AdmissionOperation): boolean {
  return has(operations, operation);
}

function has(names: ReadonlySet<string> | 'all', name: string): boolean {
  return names === 'all' || names.has(name);
}

function matchesResource({ resources }: AdmissionRule, { resource, subresource }: AdmissionAttributes): boolean {
  const { plural } = resource.names;
  return resources.some(
    (rule) =>
      (rule.resource === '*' || rule.resource === plural) && (rule.subresource === '*' || rule.subresource === subresource),
  );
}

function matchesScope(scope: string, { resource }: AdmissionAttributes): boolean {
  if (scope === '*') return true;
  return scope === resource.scope;
}

const exemptKinds: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** Webhooks and policies never see writes of their own configuration, so that a broken one can be repaired. */
export function isAdmissionConfiguration({ resource: { hub, names } }: AdmissionAttributes): boolean {
  return hub.group === 'admissionregistration.k8s.io' && exemptKinds.has(names.kind);
}
