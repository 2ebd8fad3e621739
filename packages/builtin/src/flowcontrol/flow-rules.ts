import { type FieldErrors, type FieldPath, type JsonObject, nameIsDNSLabel, objectsIn, textsIn } from '@tsukube/machinery';
import { validateFlowSubject } from './flow-subjects.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

/** Who is meant, and which of their requests. */
export function validateFlowRule(rule: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const subjects = objectsIn(rule, 'subjects');
  if (subjects.length === 0) errors.required(at.child('subjects'), 'subjects must contain at least one value');
  for (const [i, subject] of subjects.entries()) validateFlowSubject(subject, at.child('subjects').index(i), errors);
  const [resourceRules, pathRules] = [objectsIn(rule, 'resourceRules'), objectsIn(rule, 'nonResourceRules')];
  if (resourceRules.length === 0 && pathRules.length === 0)
    errors.required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty');
  for (const [i, each] of resourceRules.entries()) validateResourceRule(each, at.child('resourceRules').index(i), errors);
  for (const [i, each] of pathRules.entries()) validatePathRule(each, at.child('nonResourceRules').index(i), errors);
}

function validateVerbs(rule: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const given = textsIn(rule, 'verbs');
  if (given.length === 0) errors.required(at, 'verbs must contain at least one value');
  else if (given.includes('*')) validateAlone(given, 'verbs', at, errors);
  else if (!given.every((verb) => verbs.includes(verb))) errors.notSupported(at, [...given], verbs);
}

function validateAlone(values: readonly string[], what: string, at: FieldPath, errors: FieldErrors): void {
  if (values.length > 1 && values.includes('*'))
    errors.invalid(at, [...values], `if '*' is present, must not specify other ${what}`);
}

function validateResourceRule(rule: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateVerbs(rule, at.child('verbs'), errors);
  for (const [field, one, many] of [
    ['apiGroups', 'api group', 'api groups'],
    ['resources', 'resource', 'resources'],
  ] as const) {
    const values = textsIn(rule, field);
    if (values.length === 0) errors.required(at.child(field), `resource rules must supply at least one ${one}`);
    validateAlone(values, many, at.child(field), errors);
  }
  validateNamespaces(rule, at.child('namespaces'), errors);
}

function validateNamespaces(rule: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const namespaces = textsIn(rule, 'namespaces');
  if (namespaces.length === 0 && rule.clusterScope !== true)
    errors.required(at, 'resource rules that are not cluster scoped must supply at least one namespace');
  validateAlone(namespaces, 'namespaces', at, errors);
  if (namespaces.includes('*')) return;
  for (const [i, namespace] of namespaces.entries())
    for (const problem of nameIsDNSLabel(namespace, false))
      errors.invalid(at.index(i), namespace, `each member of this list must be '*' or a DNS-1123 label; ${problem}`);
}

function validatePathRule(rule: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateVerbs(rule, at.child('verbs'), errors);
  const [paths, pathsAt] = [textsIn(rule, 'nonResourceURLs'), at.child('nonResourceURLs')];
  if (paths.length === 0) errors.required(pathsAt, 'nonResourceURLs must contain at least one value');
  validateAlone(paths, 'non-resource URLs', pathsAt, errors);
  if (paths.includes('*')) return;
  for (const [i, path] of paths.entries()) {
    const problem = pathProblem(path);
    if (problem !== undefined) errors.invalid(pathsAt.index(i), path, problem);
  }
}

function pathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const star = path.indexOf('*');
  return star < 0 || (star === path.length - 1 && path.endsWith('/*')) ? undefined : 'wildcard can only do suffix matching';
}
