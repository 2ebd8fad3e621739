import type { JsonObject } from '@tsukube/machinery';
import { rbacGroup } from '../names.ts';
import { storedRule } from '../rules/policy-rule.ts';
import { bootstrapBindings } from './bindings.ts';
import { clusterRoles } from './cluster-roles.ts';
import { controllerRoles } from './controller-roles.ts';
import { namespaceRoles } from './namespace-roles.ts';
import { type RuleLines, rulesOfLines } from './rule-lines.ts';

export const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

const aggregateTo = (role: string) => `${rbacGroup}/aggregate-to-${role}`;

/** The roles that gather the rules of others. */
const aggregated: readonly string[] = ['admin', 'edit', 'view'];

/** Which of them a role adds its rules to. */
const addsTo: Readonly<Record<string, string>> = {
  edit: 'admin',
  view: 'edit',
  'system:aggregate-to-admin': 'admin',
  'system:aggregate-to-edit': 'edit',
  'system:aggregate-to-view': 'view',
};

/** Every role and binding that a cluster has from its first start, complete. */
export function bootstrapPolicy(): readonly JsonObject[] {
  return [
    ...Object.entries(clusterRoles).map(([name, lines]) => role(name, lines)),
    ...Object.entries(controllerRoles).map(([name, lines]) => role(`system:controller:${name}`, lines)),
    ...Object.entries(namespaceRoles).flatMap(([namespace, roles]) =>
      Object.entries(roles).map(([name, lines]) => role(name, lines, namespace)),
    ),
    ...bootstrapBindings(),
  ].map(marked);
}

function role(name: string, lines: RuleLines, namespace?: string): JsonObject {
  const gathers = namespace === undefined && aggregated.includes(name);
  return {
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    rules: gathers ? null : rulesOfLines(lines).map(storedRule),
    ...(gathers && { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(name)]: 'true' } }] } }),
  };
}

function marked(object: JsonObject): JsonObject {
  const metadata = object.metadata as JsonObject;
  const target = object.kind === 'ClusterRole' ? addsTo[metadata.name as string] : undefined;
  const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...(target && { [aggregateTo(target)]: 'true' }) };
  return {
    ...object,
    apiVersion: `${rbacGroup}/v1`,
    metadata: { ...metadata, labels, annotations: { [autoUpdate]: 'true' } },
  };
}
