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

/** Workload controllers and simulated nodes that run together. */
export interface SimulationPart {
  readonly controllers: readonly string[];
  readonly simulatedNodes: number;
}

/** The enabled parts: each is elected separately among the servers on a store. */
export function simulationParts(context: ControllerContext): readonly (SimulationPart & { readonly name: string })[] {
  const { controllers, simulatedNodes } = wholeSimulation(context);
  const nodes = simulatedNodes > 0 ? [{ name: 'simulated-nodes', controllers: [], simulatedNodes }] : [];
  return [...controllers.map((name) => ({ name, controllers: [name], simulatedNodes: 0 })), ...nodes];
}

function wholeSimulation({ controllers, simulatedNodes = 0 }: ControllerContext): SimulationPart {
  return { controllers: workloadControllerNames.filter((name) => isWorkloadListed(controllers, name)), simulatedNodes };
}

/** Starts workload controllers and simulated nodes, if there are any. Their code is loaded only then. */
export function startSimulation(context: ControllerContext, part: SimulationPart = wholeSimulation(context)): RunningController {
  let running: RunningController | undefined;
  let isStopped = false;
  const load = async (): Promise<void> => {
    const { startWorkloads } = await import('./workloads/index.ts');
    if (!isStopped) running = startWorkloads(workloadContext(context), part);
  };
  if (part.controllers.length > 0 || part.simulatedNodes > 0) {
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
