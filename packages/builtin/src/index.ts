import type { Resource } from '@tsukube/apiserver';
import { autoscalingResources } from './autoscaling/index.ts';
import { lease } from './coordination/lease.ts';
import { configMap } from './core/config-map.ts';
import { event } from './core/event.ts';
import { namespace } from './core/namespace.ts';
import { secret } from './core/secret.ts';

export { namespaceLifecycle } from './admission/namespace-lifecycle.ts';
export { describe } from './types/descriptions.ts';
export { exactBuiltinTypes as builtinTypes } from './types/when-empty.ts';
export { configMap, event, lease, namespace, secret };

export interface BuiltinOptions {
  readonly eventTtlSeconds: number;
}

/** Every kind that is there from the start. */
export function builtinResources({ eventTtlSeconds }: BuiltinOptions): readonly Resource[] {
  return [namespace, configMap, secret, event(eventTtlSeconds), lease, ...autoscalingResources];
}
