import { ServiceRepair } from '@tsukube/builtin';
import { formatCidr, formatTime } from '@tsukube/machinery';
import { type ControlPlaneContext, registryIn, type StartedHook } from './context.ts';
import { manageObject } from './managed-object.ts';

const name = 'kubernetes';

/** Creates the ServiceCIDR `kubernetes` from the configured ranges. Other ServiceCIDRs belong to users. */
export function defaultServiceCidr(context: ControlPlaneContext): StartedHook {
  const registry = registryIn(context, 'networking.k8s.io', 'servicecidrs');
  const condition = () => ({
    type: 'Ready',
    status: 'True',
    lastTransitionTime: formatTime(context.now()),
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  });
  const manager = manageObject(
    {
      registry,
      namespace: '',
      name,
      withStatus: true,
      // An existing range stays: Services have addresses from it.
      desired: (existing) =>
        existing ?? {
          kind: 'ServiceCIDR',
          apiVersion: 'networking.k8s.io/v1',
          metadata: { name },
          spec: { cidrs: context.serviceRanges.clusterIPs.map(formatCidr) },
          status: { conditions: [condition()] },
        },
    },
    context,
  );
  return manager;
}

const intervalMs = 180_000;
/** After a failure: the server is not ready until a repair succeeds. */
const retryMs = 5_000;

/** Reconciles the allocated ClusterIPs and node ports with the Services that use them. */
export function serviceRepair(context: ControlPlaneContext): StartedHook {
  const repair = ServiceRepair.of(registryIn(context, '', 'services'), context.serviceRanges);
  let failure: unknown;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const run = async (mode: 'once' | 'run') => {
    try {
      const duplicates = await repair[mode](context.now());
      for (const address of duplicates) context.logger.warn('two Services have the same ClusterIP', { address });
      failure = undefined;
    } catch (error) {
      failure = error;
      context.logger.warn('ClusterIPs and node ports could not be repaired', { error: String(error) });
    }
    if (!isStopped) timer = setTimeout(() => void run('run'), failure === undefined ? intervalMs : retryMs).unref();
  };
  void run('once');
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
    check() {
      if (failure !== undefined) throw failure;
    },
  };
}
