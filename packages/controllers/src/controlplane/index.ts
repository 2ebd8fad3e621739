import { authenticationConfigMap, tokenTrackingConfigMap } from './config-maps.ts';
import type { ControlPlaneContext, PostStartHook, StartedHook } from './context.ts';
import { identityLease } from './identity-lease.ts';
import { kubernetesService } from './kubernetes-service.ts';
import { defaultServiceCidr, serviceRepair } from './service-ranges.ts';

export type { ControlPlaneContext, PostStartHook, ServerEndpoint } from './context.ts';

/** By the names of kube-apiserver's PostStartHooks. */
const hooks = {
  'start-kubernetes-service-cidr-controller': defaultServiceCidr,
  'bootstrap-controller': kubernetesService,
  'start-kube-apiserver-identity-lease-controller': identityLease,
  'start-cluster-authentication-info-controller': authenticationConfigMap,
  'start-legacy-token-tracking-controller': tokenTrackingConfigMap,
  'start-service-ip-repair-controllers': serviceRepair,
};

/** The names of the hooks. */
export const postStartHooks = Object.keys(hooks);

/** Starts the controllers of kube-apiserver's pkg/controlplane: the objects that describe this server. */
export function startControlPlane(context: ControlPlaneContext & { readonly delayMs: number }): readonly PostStartHook[] {
  return Object.entries(hooks).map(([name, start]) => delayed(name, () => start(context), context.delayMs));
}

function delayed(name: string, start: () => StartedHook, delayMs: number): PostStartHook {
  let started: StartedHook | undefined;
  const timer = setTimeout(() => {
    started = start();
  }, delayMs);
  return {
    name,
    check: () => started?.check?.(),
    checkReadiness: () => started?.checkReadiness?.(),
    async withdraw() {
      clearTimeout(timer);
      await started?.withdraw?.();
    },
    stop() {
      clearTimeout(timer.unref());
      started?.stop();
    },
  };
}
