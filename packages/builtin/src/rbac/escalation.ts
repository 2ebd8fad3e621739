import type { Authorizer, User, WriteContext } from '@tsukube/apiserver';
import { deepEqual, goQuote, type JsonObject, metadataOf, objectIn, objectsIn, StatusError, textIn } from '@tsukube/machinery';
import type { RoleRules } from './authorizer/rbac-index.ts';
import { countSubrules, describeRules, quotedList, uncovered } from './rules/covers.ts';
import { type PolicyRule, policyRuleOf, rbacGroup } from './rules/policy-rule.ts';

/** Inputs of the privilege escalation check. */
export interface Escalation {
  readonly authorizer: Authorizer;
  readonly roles: RoleRules;
}

/** Limit of subrules of a role: each is compared with the rules of the user. */
const maxSubrules = 50_000;

/** Throws to refuse a write. */
type WriteCheck = (object: JsonObject, old: JsonObject | undefined, context: WriteContext) => void | Promise<void>;

const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

/** A user may write only roles whose rules they have, unless they may `escalate`. */
export function checkRole(resource: 'roles' | 'clusterroles', escalation: Escalation): WriteCheck {
  return async (object, old, { user, namespace }) => {
    if (isSuperuser(user) || isGarbageCollection(object, old)) return;
    // Kubernetes uses the name of the request path, which a create does not have.
    if (await isAllowed(escalation, user, 'escalate', resource, namespace, old ? nameOf(object) : '')) return;
    const refuse = (reason: string) => StatusError.forbidden({ group: rbacGroup, resource }, nameOf(object), reason);
    const problem = await escalationProblem(escalation, user, namespace, objectsIn(object, 'rules').map(policyRuleOf));
    if (problem !== undefined) throw refuse(problem);
    const aggregates = hasAggregation(object) || hasAggregation(old);
    if (aggregates && (await escalationProblem(escalation, user, namespace, fullAuthority)) !== undefined)
      throw refuse('must have cluster-admin privileges to use the aggregationRule');
  };
}

/** A user may bind only roles whose rules they have, unless they may `bind` the role. */
export function checkBinding(resource: 'rolebindings' | 'clusterrolebindings', escalation: Escalation): WriteCheck {
  return async (object, old, { user, namespace }) => {
    if (isSuperuser(user) || isGarbageCollection(object, old)) return;
    const reference = objectIn(object, 'roleRef');
    const roles = roleResource(textIn(reference, 'kind'));
    if (roles === undefined) throw unsupportedKind(reference);
    if (await isAllowed(escalation, user, 'bind', roles, namespace, textIn(reference, 'name'))) return;
    const role = await escalation.roles.roleOf(reference, namespace);
    if (!role.exists) throw StatusError.notFound({ group: rbacGroup, resource: roles }, textIn(reference, 'name'));
    const problem = await escalationProblem(escalation, user, namespace, role.rules);
    if (problem !== undefined) throw StatusError.forbidden({ group: rbacGroup, resource }, nameOf(object), problem);
  };
}

function roleResource(kind: string): 'roles' | 'clusterroles' | undefined {
  if (kind === 'Role') return 'roles';
  return kind === 'ClusterRole' ? 'clusterroles' : undefined;
}

function unsupportedKind(reference: JsonObject | undefined): StatusError {
  const message = `unsupported role reference kind: ${goQuote(textIn(reference, 'kind'))}`;
  return new StatusError({ status: 'Failure', message, code: 500 });
}

function isSuperuser({ groups }: User): boolean {
  return groups.includes('system:masters');
}

function nameOf(object: JsonObject): string {
  return textIn(objectIn(object, 'metadata'), 'name');
}

function hasAggregation(object: JsonObject | undefined): boolean {
  return objectsIn(objectIn(object, 'aggregationRule'), 'clusterRoleSelectors').length > 0;
}

/** Whether a write changes only finalizers and ownerReferences, as the garbage collector does. */
function isGarbageCollection(object: JsonObject, old: JsonObject | undefined): boolean {
  if (!old) return false;
  const comparable = (whole: JsonObject): JsonObject => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...metadata } = metadataOf(whole);
    return { ...whole, metadata };
  };
  return deepEqual(comparable(object), comparable(old));
}

async function isAllowed(
  { authorizer }: Escalation,
  user: User,
  verb: string,
  resource: string,
  namespace: string,
  name: string,
): Promise<boolean> {
  const attributes = { isResource: true, group: rbacGroup, version: '*', subresource: '', path: '' };
  const { decision } = await authorizer.authorize({ ...attributes, user, verb, resource, namespace, name });
  return decision === 'allow';
}

async function escalationProblem(
  { roles }: Escalation,
  user: User,
  namespace: string,
  rules: readonly PolicyRule[],
): Promise<string | undefined> {
  const count = countSubrules(rules);
  if (count > maxSubrules)
    throw StatusError.requestEntityTooLarge(
      `the rules grant ${count} combinations of verb and resource, the limit is ${maxSubrules}`,
    );
  const granted = await roles.grantedTo(user, namespace);
  const missing = uncovered(granted.rules, rules);
  if (missing.length === 0) return undefined;
  const who = `user ${goQuote(user.name)} (groups=${quotedList(user.groups)})`;
  const unresolved = granted.error === undefined ? '' : `; resolution errors: [${granted.error}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}${unresolved}`;
}
