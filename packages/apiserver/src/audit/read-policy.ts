import {
  FieldErrors,
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  nameIsDNSSubdomain,
  path,
} from '@tsukube/machinery';
import {
  type AuditLevel,
  type AuditPolicy,
  type AuditRule,
  type AuditStage,
  type GroupResources,
  levels,
  stages,
} from './policy.ts';

/** A Policy of audit.k8s.io/v1. Fails with an Error that names every field that is wrong, in Kubernetes' words. */
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
