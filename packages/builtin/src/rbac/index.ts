import type { Authorizer, Resource, Strategy, VerbHandler, Verbs } from '@tsukube/apiserver';
import type { RoleRules } from './authorizer/rbac-index.ts';
import { clusterRoleBinding } from './binding.ts';
import { clusterRole } from './cluster-role.ts';
import { checkBinding, checkRole } from './escalation.ts';
import { role } from './role.ts';
import { roleBinding } from './role-binding.ts';
/** Nobody hands out by these what they do not have themselves. */
export function rbacResources(authorizer: Authorizer, roles: RoleRules): readonly Resource[] {
  const escalation = { authorizer, roles };
  return [
    guarded(clusterRoleBinding, checkBinding('clusterrolebindings', escalation)),
    guarded(clusterRole, checkRole('clusterroles', escalation)),
    guarded(roleBinding, checkBinding('rolebindings', escalation)),
    guarded(role, checkRole('roles', escalation)),
  ];
}

function guarded(resource: Resource, authorizeWrite: NonNullable<Strategy['authorizeWrite']>): Resource {
  return { ...resource, strategy: { ...resource.strategy, authorizeWrite }, verbs: settledVerbs(resource.verbs) };
}

const writes = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;

/** A write is answered when this server decides by it. Only a store elsewhere makes that a wait. */
function settledVerbs(verbs: Verbs): Verbs {
  const settled = writes.flatMap((verb) => (verbs[verb] ? [[verb, settledWrite(verbs[verb])]] : []));
  return { ...verbs, ...Object.fromEntries(settled) };
}

function settledWrite(handler: VerbHandler): VerbHandler {
  return async (request) => {
    const answer = await handler(request);
    await request.objects.cache.fresh();
    return answer;
  };
}
