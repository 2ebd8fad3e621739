import type { Authorizer, Resource, Strategy, VerbHandler, Verbs } from '@tsukube/apiserver';
import type { RoleRules } from './authorizer/rbac-index.ts';
import { clusterRoleBinding, roleBinding } from './bindings.ts';
import { checkBinding, checkRole } from './escalation.ts';
import { clusterRole, role } from './roles.ts';

/** The RBAC resources, with the privilege escalation check. */
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
  return { ...resource, strategy: { ...resource.strategy, authorizeWrite }, verbs: withCachedWrites(resource.verbs) };
}

const writes = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;

/** A write is answered once the watch cache, and so the authorizer, has it. Only remote stores make that a wait. */
function withCachedWrites(verbs: Verbs): Verbs {
  const wrapped = writes.flatMap((verb) => (verbs[verb] ? [[verb, awaitingCache(verbs[verb])]] : []));
  return { ...verbs, ...Object.fromEntries(wrapped) };
}

function awaitingCache(handler: VerbHandler): VerbHandler {
  return async (request) => {
    const answer = await handler(request);
    await request.objects.cache.fresh();
    return answer;
  };
}
