import { type Authorizer, alwaysDeny, type Resource } from '@tsukube/apiserver';
import { customResourceDefinition } from '@tsukube/crds';
import { admissionRegistrationResources } from './admissionregistration/index.ts';
import { apiRegistrationResources } from './apiregistration/api-service.ts';
import { appsResources } from './apps/index.ts';
import { authenticationResources, type TokenReviewer } from './authentication/reviews.ts';
import { authorizationResources } from './authorization/access-reviews.ts';
import { horizontalPodAutoscaler } from './autoscaling/horizontal-pod-autoscaler.ts';
import { batchResources } from './batch/index.ts';
import { certificatesResources } from './certificates/certificate-signing-request.ts';
import { withMetadataChecks } from './common/metadata-checks.ts';
import { lease } from './coordination/lease.ts';
import { configMap } from './core/config-map.ts';
import { event } from './core/event.ts';
import { coreResources } from './core/index.ts';
import { namespace } from './core/namespace.ts';
import { withoutGatedFields } from './core/pod-spec/feature-gates.ts';
import { secret } from './core/secret.ts';
import { defaultServiceRanges, type ServiceRanges } from './core/service/service-ranges.ts';
import { endpointSlice } from './discovery/endpoint-slice.ts';
import { flowControlResources } from './flowcontrol/index.ts';
import { withLegacyVersions } from './legacy/index.ts';
import { networkingResources } from './networking/index.ts';
import { runtimeClass } from './node/runtime-class.ts';
import { podDisruptionBudget } from './policy/pod-disruption-budget.ts';
import { RbacIndex, type RoleRules, roleRulesOf } from './rbac/authorizer/rbac-index.ts';
import { rbacResources } from './rbac/index.ts';
import { deviceResources } from './resource/index.ts';
import { priorityClass } from './scheduling/priority-class.ts';
import type { TokenIssuer } from './service-account-tokens/index.ts';
import { storageResources } from './storage/index.ts';

export { builtinAdmission, type TolerationSeconds } from './admission/index.ts';
export { bootstrapTokens } from './bootstrap-tokens.ts';
export { schemaOf } from './common/schema.ts';
export { defaultServiceRanges, type ServiceRanges } from './core/service/service-ranges.ts';
export { ServiceRepair } from './core/service/service-repair.ts';
export { type FlowControlDefaults, flowControlDefaults } from './flowcontrol/defaults.ts';
export { type NodeAuthorizer, nodeAuthorizer } from './node-authorizer/index.ts';
export { type FindRegistry, openRbac, type Rbac } from './rbac/authorizer/rbac-authorizer.ts';
export { RbacIndex, type RoleRules, roleRulesOf } from './rbac/authorizer/rbac-index.ts';
export { bootstrapNames, bootstrapPolicy, storedPolicy } from './rbac/bootstrap/policy.ts';
export { reconciledBinding, reconciledRole } from './rbac/bootstrap/reconcile.ts';
export { rbacGroup } from './rbac/rules/policy-rule.ts';
export * from './service-account-tokens/index.ts';
export { configMap, event, lease, namespace, secret };

export interface BuiltinOptions {
  readonly eventTtlSeconds: number;
  readonly serviceRanges?: ServiceRanges;
  /** Authenticates tokens for TokenReviews. */
  readonly tokenReviewer?: TokenReviewer;
  /** Signs service account tokens; without it token requests are rejected. */
  readonly tokenIssuer?: TokenIssuer;
  /** For SubjectAccessReviews and the like. */
  readonly authorizer?: Authorizer;
  /** RBAC roles and bindings. */
  readonly roles?: RoleRules;
}

/** All built-in kinds. */
export function builtinResources(options: BuiltinOptions): readonly Resource[] {
  const { eventTtlSeconds, serviceRanges = defaultServiceRanges, tokenReviewer, tokenIssuer } = options;
  const { authorizer = alwaysDeny, roles = roleRulesOf(new RbacIndex()) } = options;
  const resources = [
    ...coreResources({ eventTtlSeconds, serviceRanges, tokenIssuer, authorizer }),
    ...appsResources,
    ...batchResources,
    horizontalPodAutoscaler,
    podDisruptionBudget,
    ...networkingResources,
    endpointSlice,
    lease,
    ...rbacResources(authorizer, roles),
    priorityClass,
    ...storageResources,
    runtimeClass,
    ...deviceResources(authorizer),
    ...certificatesResources,
    ...flowControlResources,
    ...admissionRegistrationResources,
    customResourceDefinition,
    ...apiRegistrationResources,
    ...authenticationResources(tokenReviewer),
    ...authorizationResources(authorizer),
  ];
  return withLegacyVersions(withMetadataChecks(withoutGatedFields(resources)));
}
