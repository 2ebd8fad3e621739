import { type JsonObject, metadataOf, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { type PolicyRule, rbacGroup, storedRule } from '../rules/policy-rule.ts';
import { bootstrapBindingNames, bootstrapBindings, controllerRoleName } from './bindings.ts';
import { clusterRoles } from './cluster-roles.ts';
import { controllerRoles } from './controller-roles.ts';
import { type RuleLines, rulesOfLines } from './rule-lines.ts';

export const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

const aggregateTo = (role: string) => `${rbacGroup}/aggregate-to-${role}`;

/** The aggregated roles and their sources, sorted by name. */
const aggregated: Readonly<Record<string, readonly string[]>> = {
  admin: ['system:aggregate-to-edit', 'system:aggregate-to-view', 'system:aggregate-to-admin'],
  edit: ['system:aggregate-to-edit', 'system:aggregate-to-view'],
  view: ['system:aggregate-to-view'],
};

/** The aggregated role that a role is a source of. */
const addsTo: Readonly<Record<string, string>> = {
  edit: 'admin',
  view: 'edit',
  'system:aggregate-to-admin': 'admin',
  'system:aggregate-to-edit': 'edit',
  'system:aggregate-to-view': 'view',
};

/** The names of `bootstrapPolicy`: checking for existence is cheaper than building the objects. */
export function bootstrapNames(): readonly { readonly kind: string; readonly namespace: string; readonly name: string }[] {
  const ofCluster = (kind: string, names: readonly string[]) => names.map((name) => ({ kind, namespace: '', name }));
  return [
    ...ofCluster('ClusterRole', [...Object.keys(aggregated), ...Object.keys(clusterRoles)]),
    ...ofCluster('ClusterRole', Object.keys(controllerRoles).map(controllerRoleName)),
    ...Object.entries(namespaceRoles).flatMap(([namespace, roles]) =>
      Object.keys(roles).map((name) => ({ kind: 'Role', namespace, name })),
    ),
    ...bootstrapBindingNames(),
  ];
}

/** All default roles and bindings. */
export function bootstrapPolicy(): readonly JsonObject[] {
  return [
    ...Object.entries(aggregated).map(([name, sources]) => aggregatedRole(name, sources)),
    ...Object.entries(clusterRoles).map(([name, lines]) => role(name, lines)),
    ...Object.entries(controllerRoles).map(([name, lines]) => role(controllerRoleName(name), lines)),
    ...Object.entries(namespaceRoles).flatMap(([namespace, roles]) =>
      Object.entries(roles).map(([name, lines]) => role(name, lines, namespace)),
    ),
    ...bootstrapBindings(),
  ].map(marked);
}

/** With the rules already aggregated, so that the controller has nothing to do at startup. */
function aggregatedRole(name: string, sources: readonly string[]): JsonObject {
  const lines = sources.flatMap((source) => clusterRoles[source] ?? []);
  return { ...role(name, lines), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(name)]: 'true' } }] } };
}

function role(name: string, lines: RuleLines, namespace?: string): JsonObject {
  return {
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    rules: rulesOfLines(lines).map(storedRule),
  };
}

function marked(object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  const target = object.kind === 'ClusterRole' ? addsTo[metadata.name ?? ''] : undefined;
  const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...(target && { [aggregateTo(target)]: 'true' }) };
  return {
    ...object,
    apiVersion: `${rbacGroup}/v1`,
    metadata: { ...metadata, labels, annotations: { [autoUpdate]: 'true' } },
  };
}

/** The rules of all nodes, for the node authorizer. */
export function nodeRules(): readonly PolicyRule[] {
  return rulesOfLines(clusterRoles['system:node'] ?? []);
}

/** Default Roles by namespace and name. */
export const namespaceRoles: Readonly<Record<string, Readonly<Record<string, RuleLines>>>> = {
  'kube-system': {
    'extension-apiserver-authentication-reader': ['read | core | configmaps | extension-apiserver-authentication'],
    'system::leader-locking-kube-controller-manager': [
      'read create update | coordination.k8s.io | leases',
      'read create update | coordination.k8s.io | leasecandidates',
    ],
    'system::leader-locking-kube-scheduler': [
      'read create update | coordination.k8s.io | leases',
      'read create update | coordination.k8s.io | leasecandidates',
    ],
    'system:controller:bootstrap-signer': ['read | core | secrets'],
    'system:controller:cloud-provider': ['read create | core | configmaps'],
    'system:controller:token-cleaner': ['read delete | core | secrets', 'create patch update | core events.k8s.io | events'],
  },
  'kube-public': {
    'system:controller:bootstrap-signer': [
      'read | core | configmaps',
      'update | core | configmaps | cluster-info',
      'create patch update | core events.k8s.io | events',
    ],
  },
};

/**
 * The stored bytes of a default role or binding, as a write of this server would produce. Built directly because a hundred
 * such objects dominate the first start.
 */
export function storedPolicy(object: JsonObject, uid: string, time: string): Buffer {
  const { kind, apiVersion, metadata: _, ...content } = object;
  const { name, namespace, labels, annotations } = metadataOf(object);
  const managedFields = owners(object, time);
  const stored = { name, namespace, uid, creationTimestamp: time, labels, annotations, managedFields };
  return Buffer.from(JSON.stringify({ kind, apiVersion, metadata: stored, ...content }));
}

/** Aggregated rules are owned by the aggregation controller. */
function owners(object: JsonObject, time: string): JsonObject[] {
  const owner = (manager: string, operation: string, fieldsV1: JsonObject): JsonObject => ({
    ...{ manager, operation, apiVersion: textIn(object, 'apiVersion'), time },
    ...{ fieldsType: 'FieldsV1', fieldsV1 },
  });
  const gathers = 'aggregationRule' in object && objectsIn(object, 'rules').length > 0;
  const server = owner('kube-apiserver', 'Update', ownFields(object, gathers));
  return gathers ? [owner('clusterrole-aggregation-controller', 'Apply', { 'f:rules': {} }), server] : [server];
}

function ownFields(object: JsonObject, gathers: boolean): JsonObject {
  const metadata = objectIn(object, 'metadata');
  const owned: JsonObject = {};
  if ('aggregationRule' in object) owned['f:aggregationRule'] = { '.': {}, 'f:clusterRoleSelectors': {} };
  owned['f:metadata'] = { 'f:annotations': keys(metadata, 'annotations'), 'f:labels': keys(metadata, 'labels') };
  for (const field of ['roleRef', 'rules', 'subjects']) {
    if (object[field] && !(gathers && field === 'rules')) owned[`f:${field}`] = {};
  }
  return owned;
}

function keys(metadata: JsonObject | undefined, field: string): JsonObject {
  const names = Object.keys(objectIn(metadata, field) ?? {}).sort();
  return { '.': {}, ...Object.fromEntries(names.map((name) => [`f:${name}`, {}])) };
}
