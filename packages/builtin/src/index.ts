import type { Resource } from '@tsukube/apiserver';
import { admissionRegistrationResources } from './admissionregistration/index.ts';
import { apiRegistrationResources } from './apiregistration/index.ts';
import { appsResources } from './apps/index.ts';
import { autoscalingResources } from './autoscaling/index.ts';
import { batchResources } from './batch/index.ts';
import { certificatesResources } from './certificates/index.ts';
import { lease } from './coordination/lease.ts';
import { configMap } from './core/config-map.ts';
import { coreResources } from './core/core-resources.ts';
import { event } from './core/event.ts';
import { namespace } from './core/namespace.ts';
import { podResources } from './core/pod/index.ts';
import { secret } from './core/secret.ts';
import { discoveryResources } from './discovery/index.ts';
import { flowControlResources } from './flowcontrol/index.ts';
import { withLegacyVersions } from './legacy/index.ts';
import { networkingResources } from './networking/index.ts';
import { rbacResources } from './rbac/index.ts';

export { namespaceLifecycle } from './admission/namespace-lifecycle.ts';
export { describe } from './types/descriptions.ts';
export { exactBuiltinTypes as builtinTypes } from './types/when-empty.ts';
export { configMap, event, lease, namespace, secret };

export interface BuiltinOptions {
  readonly eventTtlSeconds: number;
}

/** Every kind that is there from the start. */
export function builtinResources({ eventTtlSeconds }: BuiltinOptions): readonly Resource[] {
  return withLegacyVersions([
    namespace,
    configMap,
    secret,
    event(eventTtlSeconds),
    ...coreResources,
    ...podResources,
    lease,
    ...appsResources,
    ...batchResources,
    ...autoscalingResources,
    ...networkingResources,
    ...discoveryResources,
    ...certificatesResources,
    ...rbacResources,
    ...admissionRegistrationResources,
    ...flowControlResources,
    ...apiRegistrationResources,
  ]);
}
