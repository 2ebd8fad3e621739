import type { Authorizer, User, WriteContext } from '@tsukube/apiserver';
import { deepEqual, goQuote, type JsonObject, objectIn, objectsIn, StatusError, textIn } from '@tsukube/machinery';
import type { RoleRules } from './authorizer/rbac-index.ts';
import { countPieces, describeRules, quotedList, uncovered } from './rules/covers.ts';
import { type PolicyRule, policyRuleOf, rbacGroup } from './rules/policy-rule.ts';
/** What decides whether somebody hands out more than they have. */
export interface Escalation {
  readonly authorizer: Authorizer;
  readonly roles: RoleRules;
}

/** Each is looked for among the rules of the user. Users who may escalate are not checked. */
const maxPieces = 50_000;

/** Refuses a write by throwing. */
type WriteCheck = (object: JsonObject, old: JsonObject | undefined, context: WriteContext) => void | Promise<void>;

const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

/** A role may hold what its author may do, unless they may `escalate`. */
export function checkRole(resource: 'roles' | 'clusterroles', escalation: Escalation): WriteCheck {
  return async (object, old, { user, namespace }) => {
    if (isSuperuser(user) || isGarbageCollection(object, old)) return;
    // Kubernetes asks by the name in the path, which a creation has none of.
    if (await mayDo(escalation, user, 'escalate', resource, namespace, old ? nameOf(object) : '')) return;
    const refuse = (reason: string) => StatusError.forbidden({ group: rbacGroup, resource }, nameOf(object), reason);
    const problem = await escalationProblem(escalation, user, namespace, objectsIn(object, 'rules').map(policyRuleOf));
    if (problem !== undefined) throw refuse(problem);
    const gathers = hasAggregation(object) || hasAggregation(old);
    if (gathers && (await escalationProblem(escalation, user, namespace, fullAuthority)) !== undefined)
      throw refuse('must have cluster-admin privileges to use the aggregationRule');
  };
}

/** A role may be bound by those who may do what it allows, unless they may `bind` it. */
export function checkBinding(resource: 'rolebindings' | 'clusterrolebindings', escalation: Escalation): WriteCheck {
  return async (object, old, { user, namespace }) => {
    if (isSuperuser(user) || isGarbageCollection(object, old)) return;
    const reference = objectIn(object, 'roleRef');
    const roles = roleResource(textIn(reference, 'kind'));
    if (roles === undefined) throw unsupportedKind(reference);
    if (await mayDo(escalation, user, 'bind', roles, namespace, textIn(reference, 'name'))) return;
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

/** Whether a write changes only what the garbage collector needs to change to let an object go. */
function isGarbageCollection(object: JsonObject, old: JsonObject | undefined): boolean {
  if (!old) return false;
  const settled = ({ metadata, ...rest }: JsonObject): JsonObject => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...kept } = metadata as JsonObject;
    return { ...rest, metadata: kept };
  };
  return deepEqual(settled(object), settled(old));
}

async function mayDo(
  { authorizer }: Escalation,
  user: User,
  verb: string,
  resource: string,
  namespace: string,
  name: string,
): Promise<boolean> {
  const asked = { isResource: true, group: rbacGroup, version: '*', subresource: '', path: '' };
  const { decision } = await authorizer.authorize({ ...asked, user, verb, resource, namespace, name });
  return decision === 'allow';
}

async function escalationProblem(
  { roles }: Escalation,
  user: User,
  namespace: string,
  rules: readonly PolicyRule[],
): Promise<string | undefined> {
  const count = countPieces(rules);
  if (count > maxPieces)
    throw StatusError.requestEntityTooLarge(
      `the rules grant ${count} combinations of verb and resource, the limit is ${maxPieces}`,
    );
  const granted = await roles.grantedTo(user, namespace);
  const missing = uncovered(granted.rules, rules);
  if (missing.length === 0) return undefined;
  const who = `user ${goQuote(user.name)} (groups=${quotedList(user.groups)})`;
  const unresolved = granted.error === undefined ? '' : `; resolution errors: [${granted.error}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}${unresolved}`;
}
