import { type Authorizer, alwaysDenyAuthorizer, type Resource } from '@tsukube/apiserver';
import { customResourceDefinition } from '@tsukube/crds';
import { admissionRegistrationResources } from './admissionregistration/index.ts';
import { appsResources } from './apps/index.ts';
import { horizontalPodAutoscaler } from './autoscaling/horizontal-pod-autoscaler.ts';
import { cronJob } from './batch/cron-job.ts';
import { job } from './batch/job.ts';
import { certificatesResources } from './certificates/certificate-signing-request.ts';
import { apiRegistrationResources } from './cluster/api-service.ts';
import { lease } from './cluster/lease.ts';
import { withMetadataChecks } from './common/metadata-checks.ts';
import { configMap } from './core/config-map.ts';
import { event } from './core/event.ts';
import { coreResources } from './core/index.ts';
import { type KubeletClientConfig, plainKubeletClientConfig } from './core/kubelet/connection.ts';
import { namespace } from './core/namespace.ts';
import { withoutGatedFields } from './core/pod-spec/feature-gates.ts';
import { secret } from './core/secret.ts';
import { defaultServiceRanges, type ServiceRanges } from './core/service/service-ranges.ts';
import { flowSchema } from './flowcontrol/flow-schema.ts';
import { priorityLevelConfiguration } from './flowcontrol/priority-level-configuration.ts';
import { withLegacyVersions } from './legacy/index.ts';
import { endpointSlice } from './networking/endpoint-slice.ts';
import { networkingResources } from './networking/index.ts';
import { RbacIndex, type RoleRules, roleRulesOf } from './rbac/authorizer/rbac-index.ts';
import { rbacResources } from './rbac/index.ts';
import { deviceClass } from './resource/device-class.ts';
import { resourceClaim } from './resource/resource-claim.ts';
import { resourceClaimTemplate } from './resource/resource-claim-template.ts';
import { resourceSlice } from './resource/resource-slice.ts';
import { authorizationResources } from './reviews/access-reviews.ts';
import { authenticationResources, type TokenReviewer } from './reviews/user-reviews.ts';
import { podDisruptionBudget } from './scheduling/pod-disruption-budget.ts';
import { priorityClass } from './scheduling/priority-class.ts';
import { runtimeClass } from './scheduling/runtime-class.ts';
import type { TokenIssuer } from './service-account-tokens/token-request.ts';
import { storageResources } from './storage/index.ts';

export {
  admissionPlugins,
  imagePolicyConfiguration,
  type PluginContext,
  type PluginDefinition,
  type ReviewWebhook,
  type TolerationSeconds,
} from './admission/index.ts';
export {
  addTo,
  type Evaluator,
  type EvaluatorRegistry,
  isInScope,
  type ObjectUsage,
  objectCountName,
  parseResourceList,
  quotaEvaluators,
  type ResourceList,
  resourceListObject,
  type ScopeRequirement,
  scopeRequirementsOf,
} from './admission/resource-quota/index.ts';
export { bootstrapTokens } from './bootstrap-tokens.ts';
export { type RequestedCertificate, requestedCertificate } from './certificates/signing-request.ts';
export { schemaOf } from './common/schema.ts';
export type { KubeletClientConfig } from './core/kubelet/connection.ts';
export { bindPod } from './core/pod/binding.ts';

export { defaultServiceRanges, type ServiceRanges } from './core/service/service-ranges.ts';
export { ServiceRepair } from './core/service/service-repair.ts';
export { type FlowControlDefaults, flowControlDefaults } from './flowcontrol/defaults.ts';
export { type NodeAuthorizer, nodeAuthorizer } from './node-authorizer/index.ts';
export { podSecrets } from './node-authorizer/object-references.ts';
export { type FindRegistry, openRbac, type Rbac } from './rbac/authorizer/rbac-authorizer.ts';
export { RbacIndex, type RoleRules, roleRulesOf } from './rbac/authorizer/rbac-index.ts';
export { bootstrapNames, bootstrapPolicy, storedPolicy } from './rbac/bootstrap/policy.ts';
export { reconciledBinding, reconciledRole } from './rbac/bootstrap/reconcile.ts';
export { rbacGroup } from './rbac/rules/policy-rule.ts';
export {
  type BoundKind,
  boundTokens,
  type FindObject,
  type FoundObject,
  objectFinder,
} from './service-account-tokens/bound-tokens.ts';
export { legacyClaims } from './service-account-tokens/claims.ts';
export { lastUsedTracker, legacyTokens } from './service-account-tokens/legacy-tokens.ts';
export { type TokenIssuer, tokenRequests } from './service-account-tokens/token-request.ts';
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
  /** How kubelets are reached; without a client certificate by default. */
  readonly kubelets?: KubeletClientConfig;
  /** RBAC roles and bindings. */
  readonly roles?: RoleRules;
}

/** All built-in kinds. */
export function builtinResources(options: BuiltinOptions): readonly Resource[] {
  const { eventTtlSeconds, serviceRanges = defaultServiceRanges, tokenReviewer, tokenIssuer } = options;
  const {
    authorizer = alwaysDenyAuthorizer,
    roles = roleRulesOf(new RbacIndex()),
    kubelets = plainKubeletClientConfig,
  } = options;
  const resources = [
    ...coreResources({ eventTtlSeconds, serviceRanges, tokenIssuer, authorizer, kubelets }),
    ...appsResources,
    cronJob,
    job,
    horizontalPodAutoscaler,
    podDisruptionBudget,
    ...networkingResources,
    endpointSlice,
    lease,
    ...rbacResources(authorizer, roles),
    priorityClass,
    ...storageResources,
    runtimeClass,
    deviceClass,
    resourceClaim(authorizer),
    resourceClaimTemplate,
    resourceSlice,
    ...certificatesResources,
    flowSchema,
    priorityLevelConfiguration,
    ...admissionRegistrationResources,
    customResourceDefinition,
    ...apiRegistrationResources,
    ...authenticationResources(tokenReviewer),
    ...authorizationResources(authorizer),
  ];
  return withLegacyVersions(withMetadataChecks(withoutGatedFields(resources)));
}
