import { goQuote, isDNS1123Label, isDNS1123Subdomain } from '@tsukube/machinery';
import type { User } from '../http/api-request.ts';
import type { AccessAttributes, Authorizer } from './authorizer.ts';
import type { RequestedUser } from './impersonation-headers.ts';
import { forbiddenError } from './request-access.ts';

export interface Impersonated {
  readonly user: User;
  /** The verb that allowed it; empty for unconstrained `impersonate`. */
  readonly constraint: string;
}

/** A mode of constrained impersonation, or the unconstrained `impersonate` verb. */
export interface ImpersonationMode {
  /** Undefined if the mode does not apply to the user. Throws 403. */
  check(requested: RequestedUser, access: AccessAttributes): Promise<Impersonated | undefined>;
}

/** In order of precedence. All but the last also authorize the request itself (`impersonate-on`). */
export function impersonationModes(authorizer: Authorizer): readonly ImpersonationMode[] {
  return [
    constrained(authorizer, 'associated-node', isOwnNode, onAnyNode),
    constrained(authorizer, 'arbitrary-node', (requested) => isBare(requested) && nodeOfUser(requested.name) !== undefined),
    constrained(
      authorizer,
      'serviceaccount',
      (requested) => isBare(requested) && serviceAccountOfUser(requested.name) !== undefined,
    ),
    constrained(authorizer, 'user-info', ({ name }) => !nodeOfUser(name) && !serviceAccountOfUser(name)),
    {
      check: (requested, { user }) =>
        checkFields(requested, { authorizer, user, verb: 'impersonate', isConstrained: false, view: same }),
    },
  ];
}

function isOwnNode(requested: RequestedUser, requestor: User): boolean {
  return isBare(requested) && runsOnNode(requestor, requested.name);
}

function isBare({ uid, groups, extra }: RequestedUser): boolean {
  return uid === '' && groups.length === 0 && extra.size === 0;
}

function constrained(
  authorizer: Authorizer,
  mode: string,
  applies: (requested: RequestedUser, requestor: User) => boolean,
  view: View = same,
): ImpersonationMode {
  return {
    async check(requested, access) {
      const { user } = access;
      if (!applies(requested, user)) return undefined;
      await mustBeAllowed(authorizer, view(changed(access, { verb: `impersonate-on:${mode}:${access.verb}` })));
      return checkFields(requested, { authorizer, user, verb: `impersonate:${mode}`, isConstrained: true, view });
    },
  };
}

/** Changes the attributes that are authorized. */
type View = (access: AccessAttributes) => AccessAttributes;

const same: View = (access) => access;

/** The node is already verified to be the requestor's own, so the check is for all nodes and with the keys of the extras only. */
const onAnyNode: View = (access) => {
  const { user, verb, name } = access;
  const extra = { 'authentication.kubernetes.io/associated-node-keys': Object.keys(user.extra ?? {}).sort() };
  return changed(access, { user: { ...user, extra }, name: verb === 'impersonate:associated-node' ? '*' : name });
};

function changed(access: AccessAttributes, changes: Partial<AccessAttributes>): AccessAttributes {
  const { user, verb, isResource, group, version, resource, subresource, namespace, name, path } = access;
  return {
    ...{ user, verb, isResource, group, version, resource, subresource, namespace, name, path },
    ...changes,
    get fieldSelector() {
      return access.fieldSelector;
    },
    get labelSelector() {
      return access.labelSelector;
    },
  };
}

interface FieldCheck {
  readonly authorizer: Authorizer;
  readonly user: User;
  readonly verb: string;
  readonly isConstrained: boolean;
  readonly view: View;
}

async function checkFields(requested: RequestedUser, check: FieldCheck): Promise<Impersonated> {
  const groups = await checkName(requested, check);
  if (requested.uid !== '') await mustBeAllowed(check.authorizer, attributesFor(check, authentication, 'uids', requested.uid));
  await checkGroups(requested.groups, check);
  await checkExtra(requested.extra, check);
  const extra = requested.extra.size > 0 ? { extra: Object.fromEntries(requested.extra) } : {};
  const uid = requested.uid === '' ? {} : { uid: requested.uid };
  const user = { name: requested.name, ...uid, groups: withAuthenticationGroup(requested.name, groups), ...extra };
  return { user, constraint: check.isConstrained ? check.verb : '' };
}

/** Adds `system:authenticated` or `system:unauthenticated`. */
function withAuthenticationGroup(name: string, groups: readonly string[]): readonly string[] {
  const group = name === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated';
  if (groups.includes(group) || groups.includes('system:unauthenticated')) return groups;
  return [...groups, group];
}

const authentication = 'authentication.k8s.io';

/** Authorizes the user name. Returns the groups of the name or the requested ones. */
async function checkName({ name, groups }: RequestedUser, check: FieldCheck): Promise<readonly string[]> {
  const group = check.isConstrained ? authentication : '';
  const account = serviceAccountOfUser(name);
  const node = check.isConstrained ? nodeOfUser(name) : undefined;
  if (account) {
    const { namespace } = account;
    await mustBeAllowed(check.authorizer, { ...attributesFor(check, group, 'serviceaccounts', account.name), namespace });
    return groups.length === 0 ? serviceAccountGroups(namespace) : groups;
  }
  if (node === undefined) await mustBeAllowed(check.authorizer, attributesFor(check, group, 'users', name));
  else await mustBeAllowed(check.authorizer, attributesFor(check, group, 'nodes', node));
  return node === undefined ? groups : ['system:nodes'];
}

/** From this number on, a wildcard is authorized first, to save individual checks. */
const many = 4;

async function checkGroups(groups: readonly string[], check: FieldCheck): Promise<void> {
  const { authorizer, isConstrained } = check;
  const of = (name: string) => attributesFor(check, isConstrained ? authentication : '', 'groups', name);
  if (isConstrained && groups.includes('')) throw forbiddenError(of(''), 'impersonating the empty string group is not allowed');
  if (isConstrained && groups.includes('system:masters'))
    throw forbiddenError(of('system:masters'), 'impersonating the system:masters group is not allowed');
  if (isConstrained && groups.length >= many && (await isAllowed(authorizer, of('*')))) return;
  for (const group of groups) await mustBeAllowed(authorizer, of(group));
}

async function checkExtra(extra: RequestedUser['extra'], check: FieldCheck): Promise<void> {
  const { authorizer, isConstrained } = check;
  const of = (key: string, value: string) => ({ ...attributesFor(check, authentication, 'userextras', value), subresource: key });
  const problem = isConstrained ? extraProblem(extra) : undefined;
  if (problem !== undefined) throw forbiddenError(of('', ''), problem);
  const pairs = [...extra].flatMap(([key, values]) => values.map((value) => [key, value] as const));
  if (isConstrained && pairs.length >= many && (await isAllowed(authorizer, of('*', '*')))) return;
  for (const [key, value] of pairs) await mustBeAllowed(authorizer, of(key, value));
}

function attributesFor({ user, verb, view }: FieldCheck, group: string, resource: string, name: string): AccessAttributes {
  return view({ user, verb, isResource: true, group, version: 'v1', resource, subresource: '', namespace: '', name, path: '' });
}

async function isAllowed(authorizer: Authorizer, access: AccessAttributes): Promise<boolean> {
  return (await authorizer.authorize(access)).decision === 'allow';
}

async function mustBeAllowed(authorizer: Authorizer, access: AccessAttributes): Promise<void> {
  const { decision, reason, error } = await authorizer.authorize(access);
  if (decision === 'allow') return;
  throw forbiddenError(access, [error, reason].filter(Boolean).join(': '));
}

const pathCharacters = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Why extras are not allowed in constrained impersonation. */
function extraProblem(extra: ReadonlyMap<string, readonly string[]>): string | undefined {
  for (const [key, values] of extra) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const problem = keyProblem(key);
    if (problem !== undefined)
      return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${problem}`;
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

/** Keys are domain-prefixed paths. */
function keyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const [host, path] = [key.slice(0, slash), key.slice(slash + 1)];
  if (slash <= 0 || path === '') return `${goQuote(key)}: must be a domain-prefixed path (such as "acme.io/foo")`;
  const [problem] = isDNS1123Subdomain(host);
  if (problem !== undefined) return `${goQuote(host)}: ${problem}`;
  if (pathCharacters.test(path)) return undefined;
  return `${goQuote(path)}: Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`;
}

const nodePrefix = 'system:node:';

/** The node name in a `system:node:` user name. */
export function nodeOfUser(username: string): string | undefined {
  if (!username.startsWith(nodePrefix)) return undefined;
  const name = username.slice(nodePrefix.length);
  return isDNS1123Subdomain(name).length === 0 ? name : undefined;
}

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The ServiceAccount in a `system:serviceaccount:` user name. */
export function serviceAccountOfUser(username: string): ServiceAccountName | undefined {
  const parts = username.split(':');
  const [system, kind, namespace, name] = parts;
  if (parts.length !== 4 || system !== 'system' || kind !== 'serviceaccount') return undefined;
  if (!namespace || !name) return undefined;
  const isValid = isDNS1123Label(namespace).length === 0 && isDNS1123Subdomain(name).length === 0;
  return isValid ? { namespace, name } : undefined;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Whether the user is a ServiceAccount whose token is bound to the node of `username`. */
function runsOnNode({ name, extra }: User, username: string): boolean {
  const node = nodeOfUser(username);
  if (node === undefined || !serviceAccountOfUser(name)) return false;
  const [known, ...more] = extra?.['authentication.kubernetes.io/node-name'] ?? [];
  return known === node && more.length === 0;
}
