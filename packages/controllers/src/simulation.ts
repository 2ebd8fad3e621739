import { type ControllerContext, type RunningController, registryNamed } from './controller.ts';

/** Controllers that run only if `workloads` or their own name is listed: they are not part of an API server. */
export const workloadControllerNames: readonly string[] = [
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'replicaset-controller',
  'scheduler',
  'statefulset-controller',
];

/** Whether workload controllers or simulated nodes are enabled. */
export function runsSimulation({ controllers, simulatedNodes = 0 }: ControllerContext): boolean {
  return simulatedNodes > 0 || workloadControllerNames.some((name) => isWorkloadListed(controllers, name));
}

/** Starts workload controllers and simulated nodes, if there are any. Their code is loaded only then. */
export function startSimulation(context: ControllerContext): RunningController {
  const controllers = workloadControllerNames.filter((name) => isWorkloadListed(context.controllers, name));
  const simulatedNodes = context.simulatedNodes ?? 0;
  let running: RunningController | undefined;
  let isStopped = false;
  const load = async (): Promise<void> => {
    const { startWorkloads } = await import('./workloads/index.ts');
    if (!isStopped) running = startWorkloads(workloadContext(context), { controllers, simulatedNodes });
  };
  if (controllers.length > 0 || simulatedNodes > 0) {
    load().catch((error) => context.logger.error('workload controllers did not start', { error: String(error) }));
  }
  return {
    stop() {
      isStopped = true;
      running?.stop();
    },
  };
}

function workloadContext(context: ControllerContext) {
  const { now, logger } = context;
  const metricsRegistry = () => {
    const resource = context.resources.find(({ names, hub }) => hub.group === 'metrics.k8s.io' && names.plural === 'pods');
    return resource && context.registryOf(resource);
  };
  return { now, logger, metricsRegistry, registryNamed: (plural: string) => registryNamed(context, plural) };
}

/** The first entry that names the controller decides; otherwise `workloads` enables it. `*` does not. */
export function isWorkloadListed(controllers: readonly string[], name: string): boolean {
  const named = controllers.find((entry) => entry === name || entry === `-${name}`);
  return named === undefined ? controllers.includes('workloads') : named === name;
}
