import { readFileSync } from 'node:fs';
import type { AccessAttributes, AccessRules, Authorizer, User, Verdict } from '@tsukube/apiserver';
import { isObject, type JsonObject, type JsonValue, trimRight } from '@tsukube/machinery';

/** A line of a policy file. */
interface Policy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

/** ABAC by a policy file. Throws on an invalid line. */
export function abacAuthorizer(file: string): Authorizer {
  const policies = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, i) => policyOfLine(line, `${file}:${i + 1}`) ?? []);
  const allowed: Verdict = { decision: 'allow', reason: '' };
  const undecided: Verdict = { decision: 'no opinion', reason: 'No policy matched.' };
  return {
    authorize: (access) => (policies.some((policy) => allows(policy, access)) ? allowed : undecided),
    rulesFor: (user, namespace) => rulesOf(policies, user, namespace),
  };
}

/** Skips blank lines and comments. */
function policyOfLine(line: string, place: string): Policy | undefined {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return undefined;
  const object = parsed(text, place);
  if (object.apiVersion === undefined || object.kind === undefined) return policyOfOld(object);
  if (object.apiVersion !== 'abac.authorization.kubernetes.io/v1beta1' || object.kind !== 'Policy')
    throw new Error(`error reading policy file ${place}: ${object.kind} in ${object.apiVersion} is not a policy`);
  return policyOf(isObject(object.spec) ? object.spec : {});
}

function parsed(text: string, place: string): JsonObject {
  try {
    const value: JsonValue = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new Error(`error reading policy file ${place}: ${(error as Error).message}`);
  }
  throw new Error(`error reading policy file ${place}: it is not an object`);
}

function policyOf(spec: JsonObject): Policy {
  const text = (field: string) => (typeof spec[field] === 'string' ? spec[field] : '');
  return {
    user: text('user'),
    group: text('group'),
    readonly: spec.readonly === true,
    apiGroup: text('apiGroup'),
    resource: text('resource'),
    namespace: text('namespace'),
    nonResourcePath: text('nonResourcePath'),
  };
}

/** In unversioned policies, missing fields match everything, and a missing user matches all authenticated users. */
function policyOfOld(object: JsonObject): Policy {
  const { user, group, namespace, resource, readonly } = policyOf(object);
  const isForAll = (user === '' && group === '') || user === '*' || group === '*';
  return {
    user: isForAll ? '' : user,
    group: isForAll ? 'system:authenticated' : group,
    readonly,
    apiGroup: '*',
    resource: resource || '*',
    namespace: namespace || '*',
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  };
}

function allows(policy: Policy, access: AccessAttributes): boolean {
  if (!isAbout(policy, access.user)) return false;
  if (policy.readonly && !['get', 'list', 'watch'].includes(access.verb)) return false;
  return access.isResource ? matchesResource(policy, access) : matchesPath(policy.nonResourcePath, access.path);
}

/** A policy without user and group matches no request. */
function isAbout({ user, group }: Policy, { name, groups }: User): boolean {
  if (user === '' && group === '') return false;
  const userFits = user === '' || user === '*' || user === name;
  return userFits && (group === '' || group === '*' || groups.includes(group));
}

function matchesResource(policy: Policy, { namespace, resource, group }: AccessAttributes): boolean {
  const fits = (pattern: string, value: string) => pattern === '*' || pattern === value;
  return fits(policy.namespace, namespace) && fits(policy.resource, resource) && fits(policy.apiGroup, group);
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(trimRight(pattern, '*')));
}

function rulesOf(policies: readonly Policy[], user: User, namespace: string): AccessRules {
  const own = policies.filter((policy) => isAbout(policy, user) && (policy.namespace === '*' || policy.namespace === namespace));
  const verbs = ({ readonly }: Policy) => (readonly ? ['get', 'list', 'watch'] : ['*']);
  return {
    resourceRules: own
      .filter(({ resource }) => resource !== '')
      .map((policy) => ({ verbs: verbs(policy), apiGroups: [policy.apiGroup], resources: [policy.resource] })),
    pathRules: own
      .filter(({ nonResourcePath }) => nonResourcePath !== '')
      .map((policy) => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
    incomplete: false,
  };
}
