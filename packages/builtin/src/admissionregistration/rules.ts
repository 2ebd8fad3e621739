import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  isValidPathSegmentName,
  type JsonObject,
  objectsIn,
  textIn,
  textsIn,
} from '@tsukube/machinery';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

export function defaultRules(owner: JsonObject, field: string): void {
  for (const rule of objectsIn(owner, field)) if (rule.scope === undefined) rule.scope = '*';
}

/** Validates a rule of a webhook or policy. */
export function validateRule(rule: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateAlone(rule, 'operations', 'operations', at, errors);
  for (const [i, operation] of textsIn(rule, 'operations').entries())
    if (!operations.includes(operation)) errors.notSupported(at.child('operations').index(i), operation, operations);
  validateAlone(rule, 'apiGroups', 'API groups', at, errors);
  validateAlone(rule, 'apiVersions', 'API versions', at, errors);
  for (const [i, version] of textsIn(rule, 'apiVersions').entries())
    if (version === '') errors.required(at.child('apiVersions').index(i));
  validateResources(textsIn(rule, 'resources'), at.child('resources'), errors);
  if (rule.scope !== undefined && !scopes.includes(textIn(rule, 'scope')))
    errors.notSupported(at.child('scope'), rule.scope, scopes);
}

/** The list must not be empty, and `*` must be its only item. */
function validateAlone(rule: JsonObject, field: string, what: string, at: FieldPath, errors: FieldErrors): void {
  const values = textsIn(rule, field);
  if (values.length === 0) errors.required(at.child(field));
  if (values.length > 1 && values.includes('*'))
    errors.invalid(at.child(field), [...values], `if '*' is present, must not specify other ${what}`);
}

export function validateNamedRule(rule: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, name] of textsIn(rule, 'resourceNames').entries()) {
    const namePath = at.child('resourceNames').index(i);
    for (const problem of isValidPathSegmentName(name)) errors.invalid(namePath, name, problem);
    if (seen.has(name)) errors.duplicate(namePath, name);
    seen.add(name);
  }
  validateRule(rule, at, errors);
}

/** Mutating policies cannot match DELETE. */
export function validateMutatingOperations(rules: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  for (const operation of rules.flatMap((rule) => textsIn(rule, 'operations')))
    if (!mutatingOperations.includes(operation)) errors.notSupported(at.child('operations'), operation, mutatingOperations);
}

export const reviewVersions = ['v1', 'v1beta1'];
export const harmlessSideEffects = ['None', 'NoneOnDryRun'];

/** Validation options of webhooks. Ratcheting: an update may keep values that were invalid before. */
export interface WebhookRules {
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly uniqueNames: boolean;
  readonly matchConditions: boolean;
  readonly allowInvalidValues: boolean;
}

export const rulesForNew: WebhookRules = {
  noSideEffects: true,
  knownReviewVersion: true,
  uniqueNames: true,
  matchConditions: true,
  allowInvalidValues: false,
};

export function rulesForUpdate(
  hooks: readonly JsonObject[],
  old: readonly JsonObject[],
): Omit<WebhookRules, 'allowInvalidValues'> {
  return {
    noSideEffects: old.every((hook) => harmlessSideEffects.includes(textIn(hook, 'sideEffects'))),
    knownReviewVersion: old.every((hook) => {
      const versions = textsIn(hook, 'admissionReviewVersions');
      return versions.length === 0 || versions.some(isReviewVersion);
    }),
    uniqueNames: new Set(old.map((hook) => textIn(hook, 'name'))).size === old.length,
    matchConditions: !sameConditions(hooks, old),
  };
}

export function isReviewVersion(version: string): boolean {
  return reviewVersions.includes(version);
}

function sameConditions(hooks: readonly JsonObject[], old: readonly JsonObject[]): boolean {
  if (hooks.length !== old.length) return false;
  return hooks.every((hook, i) => deepEqual([...objectsIn(hook, 'matchConditions')], [...objectsIn(old[i], 'matchConditions')]));
}

/** Resources such as pods/log, where either part may be `*`. Entries must not overlap. */
export function validateResources(resources: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (resources.length === 0) errors.required(at);
  validateSubresources(resources, at, errors);
  if (resources.length > 1 && resources.includes('*/*'))
    errors.invalid(at, [...resources], "if '*/*' is present, must not specify other resources");
  // As in Kubernetes, only the last one is checked.
  const lastWhole = resources.findLast((resource) => resource !== '' && !resource.includes('/'));
  if (resources.includes('*') && lastWhole !== '*')
    errors.invalid(at, [...resources], "if '*' is present, must not specify other resources without subresources");
}

function validateSubresources(resources: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const [coveredResources, coveredSubresources] = [new Set<string>(), new Set<string>()];
  for (const [i, text] of resources.entries()) {
    if (text === '') errors.required(at.index(i));
    const slash = text.indexOf('/');
    if (slash < 0) continue;
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
    const covered = (by: string) => errors.invalid(at.index(i), text, `if '${by}' is present, must not specify ${text}`);
    if (coveredResources.has(resource)) covered(`${resource}/*`);
    if (coveredSubresources.has(subresource)) covered(`*/${subresource}`);
    if (subresource === '*') coveredResources.add(resource);
    if (resource === '*') coveredSubresources.add(subresource);
  }
}
