import {
  type FieldErrors,
  type FieldPath,
  isValidPathSegmentName,
  type JsonObject,
  objectsIn,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { validateResources } from './rule-resources.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

export function defaultRules(owner: JsonObject, field: string): void {
  for (const rule of objectsIn(owner, field)) if (rule.scope === undefined) rule.scope = '*';
}

/** What a webhook or a policy is asked about. */
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

/** There must be something, and a star stands alone. */
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

/** What is deleted cannot be changed on the way. */
export function validateMutatingOperations(rules: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  for (const operation of rules.flatMap((rule) => textsIn(rule, 'operations')))
    if (!mutatingOperations.includes(operation)) errors.notSupported(at.child('operations'), operation, mutatingOperations);
}
