import { ageColumn, column, nameColumn, type Resource } from '@tsukube/apiserver';
import {
  ensureObject,
  type FieldErrors,
  type FieldPath,
  fillIn,
  type JsonObject,
  metadataOf,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { validateMandatorySchema } from './defaults.ts';
import { flowResource } from './flow-kind.ts';

const specType = 'io.k8s.api.flowcontrol.v1.FlowSchemaSpec';
const defaultPrecedence = 1000;
const maxPrecedence = 10_000;

const flowSchemaKind = flowResource({
  kind: 'FlowSchema',
  columns: [
    nameColumn,
    column('PriorityLevel', { type: 'io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference', field: 'name' }, (object) =>
      levelOf(objectIn(object, 'spec')),
    ),
    column('MatchingPrecedence', { type: specType, field: 'matchingPrecedence' }, precedenceOf),
    column('DistinguisherMethod', { type: specType, field: 'distinguisherMethod' }, (object) => {
      const method = objectIn(objectIn(object, 'spec'), 'distinguisherMethod');
      return method ? textIn(method, 'type') : '<none>';
    }),
    ageColumn,
    {
      name: 'MissingPL',
      type: 'string',
      description: 'references a broken or non-existent PriorityLevelConfiguration',
      value: missingLevel,
    },
  ],
  applyDefaults: (object) => fillIn(ensureObject(object, 'spec'), 'matchingPrecedence', defaultPrecedence),
  validate,
});

export const flowSchema: Resource = { ...flowSchemaKind, rowRank: precedenceOf };

function precedenceOf(object: JsonObject): number {
  return numberIn(objectIn(object, 'spec'), 'matchingPrecedence');
}

function levelOf(spec: JsonObject | undefined): string {
  return textIn(objectIn(spec, 'priorityLevelConfiguration'), 'name');
}

function missingLevel(object: JsonObject): string {
  const conditions = objectsIn(objectIn(object, 'status'), 'conditions');
  const dangling = conditions.find((condition) => condition.type === 'Dangling');
  return dangling ? textIn(dangling, 'status') : '?';
}

const distinguishers = ['ByNamespace', 'ByUser'];
const specPath = path('spec');

function validate(object: JsonObject, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec') ?? {};
  validatePrecedence(numberIn(spec, 'matchingPrecedence'), metadataOf(object).name === 'exempt', errors);
  const method = objectIn(spec, 'distinguisherMethod');
  const methodType = textIn(method, 'type');
  if (method && !distinguishers.includes(methodType))
    errors.notSupported(specPath.child('distinguisherMethod', 'type'), { Type: methodType }, distinguishers);
  const [level, at] = [levelOf(spec), specPath.child('priorityLevelConfiguration', 'name')];
  if (level === '') errors.required(at, 'must reference a priority level');
  else for (const problem of nameIsDNSSubdomain(level, false)) errors.invalid(at, level, problem);
  for (const [i, rule] of objectsIn(spec, 'rules').entries()) validateFlowRule(rule, specPath.child('rules').index(i), errors);
  validateMandatorySchema(object, spec, errors);
}

/** Precedence 1 is reserved for the FlowSchema `exempt`. */
function validatePrecedence(precedence: number, exempt: boolean, errors: FieldErrors): void {
  const at = specPath.child('matchingPrecedence');
  if (precedence <= 0) errors.invalid(at, precedence, 'must be a positive value');
  if (precedence > maxPrecedence) errors.invalid(at, precedence, `must not be greater than ${maxPrecedence}`);
  if (precedence === 1 && !exempt) errors.invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

/** Validates subjects, resource rules and non-resource rules. */
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

/** The field of each kind of subject. */
const fields = new Map([
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
]);
/** The order in which Kubernetes reports fields of other kinds. */
const complaints: Readonly<Record<string, readonly string[]>> = {
  ServiceAccount: ['User', 'Group'],
  User: ['ServiceAccount', 'Group'],
  Group: ['ServiceAccount', 'User'],
};

export function validateFlowSubject(subject: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const kind = textIn(subject, 'kind');
  const field = fields.get(kind);
  if (field === undefined) {
    errors.notSupported(at.child('kind'), kind, [...fields.keys()].sort());
    return;
  }
  validateDescription(objectIn(subject, field), kind, at.child(field), errors);
  for (const other of complaints[kind] ?? []) {
    const otherField = fields.get(other) ?? '';
    if (subject[otherField] !== undefined)
      errors.forbidden(at.child(otherField), `${otherField} is forbidden when subject kind is not '${other}'`);
  }
}

function validateDescription(subject: JsonObject | undefined, kind: string, at: FieldPath, errors: FieldErrors): void {
  if (!subject) {
    errors.required(at, `${fields.get(kind)} is required when subject kind is '${kind}'`);
    return;
  }
  if (textIn(subject, 'name') === '') errors.required(at.child('name'));
  if (kind === 'ServiceAccount') validateAccount(subject, at, errors);
}

function validateAccount(account: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [name, namespace] = [textIn(account, 'name'), textIn(account, 'namespace')];
  if (name !== '' && name !== '*')
    for (const problem of nameIsDNSSubdomain(name, false)) errors.invalid(at.child('name'), name, problem);
  if (namespace === '') errors.required(at.child('namespace'), 'must specify namespace for service account');
  else for (const problem of nameIsDNSLabel(namespace, false)) errors.invalid(at.child('namespace'), namespace, problem);
}
