import type { JsonObject } from '@tsukube/machinery';
import { rbacGroup } from '../rules/policy-rule.ts';
import { controllerRoles } from './controller-roles.ts';

/** Subjects: `user:`, `group:` or, in kube-system, `account:` and a name. */
type Subjects = readonly string[];

/** The default ClusterRoleBindings, each to the ClusterRole of its name. */
const clusterBindings: Readonly<Record<string, Subjects>> = {
  'cluster-admin': ['group:system:masters'],
  'system:monitoring': ['group:system:monitoring'],
  'system:discovery': ['group:system:authenticated'],
  'system:basic-user': ['group:system:authenticated'],
  'system:public-info-viewer': ['group:system:authenticated', 'group:system:unauthenticated'],
  'system:node-proxier': ['user:system:kube-proxy'],
  'system:kube-controller-manager': ['user:system:kube-controller-manager'],
  'system:kube-dns': ['account:kube-dns'],
  'system:kube-scheduler': ['user:system:kube-scheduler'],
  'system:volume-scheduler': ['user:system:kube-scheduler'],
  // Nodes use the node authorizer; the empty binding removes the subject in older clusters.
  'system:node': [],
  'system:service-account-issuer-discovery': ['group:system:serviceaccounts'],
};

interface NamespaceBinding {
  readonly namespace: string;
  readonly name: string;
  readonly role: string;
  readonly subjects: Subjects;
}

const [system, manager, scheduler] = ['kube-system', 'system:kube-controller-manager', 'system:kube-scheduler'];

const namespaceBindings: readonly NamespaceBinding[] = [
  {
    namespace: system,
    name: 'system::extension-apiserver-authentication-reader',
    role: 'extension-apiserver-authentication-reader',
    subjects: [`user:${manager}`, `user:${scheduler}`],
  },
  {
    namespace: system,
    name: 'system::leader-locking-kube-controller-manager',
    role: 'system::leader-locking-kube-controller-manager',
    subjects: [`user:${manager}`, 'account:kube-controller-manager', 'account:leader-election-controller'],
  },
  {
    namespace: system,
    name: 'system::leader-locking-kube-scheduler',
    role: 'system::leader-locking-kube-scheduler',
    subjects: [`user:${scheduler}`, 'account:kube-scheduler'],
  },
  ...['bootstrap-signer', 'cloud-provider', 'token-cleaner'].map((account) => ofController(system, account)),
  ofController('kube-public', 'bootstrap-signer'),
];

function ofController(namespace: string, account: string): NamespaceBinding {
  const name = controllerRoleName(account);
  return { namespace, name, role: name, subjects: [`account:${account}`] };
}

export function controllerRoleName(account: string): string {
  return `system:controller:${account}`;
}

function allBindings(): readonly NamespaceBinding[] {
  const ofControllers = Object.keys(controllerRoles).map((account) => ofController('', account));
  const ofCluster = Object.entries(clusterBindings).map(([name, subjects]) => ({ namespace: '', name, role: name, subjects }));
  return [...ofCluster, ...ofControllers, ...namespaceBindings];
}

/** In stored form, with only a name in the metadata. */
export function bootstrapBindings(): readonly JsonObject[] {
  return allBindings().map(binding);
}

export function bootstrapBindingNames(): readonly { readonly kind: string; readonly namespace: string; readonly name: string }[] {
  return allBindings().map(({ namespace, name }) => ({ kind: kindOf(namespace), namespace, name }));
}

function kindOf(namespace: string): string {
  return namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
}

function binding({ namespace, name, role, subjects }: NamespaceBinding): JsonObject {
  const roleKind = namespace === '' ? 'ClusterRole' : 'Role';
  return {
    kind: kindOf(namespace),
    metadata: { name, ...(namespace !== '' && { namespace }) },
    ...(subjects.length > 0 && { subjects: subjects.map(subject) }),
    roleRef: { apiGroup: rbacGroup, kind: roleKind, name: role },
  };
}

function subject(text: string): JsonObject {
  const colon = text.indexOf(':');
  const [kind, name] = [text.slice(0, colon), text.slice(colon + 1)];
  if (kind === 'account') return { kind: 'ServiceAccount', name, namespace: system };
  return { kind: kind === 'user' ? 'User' : 'Group', apiGroup: rbacGroup, name };
}
