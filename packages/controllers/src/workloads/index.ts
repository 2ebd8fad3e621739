import type { Logger, ObjectRegistry } from '@tsukube/apiserver';
import { horizontalPodAutoscalerController } from './autoscaling/index.ts';
import type { Cluster, Plural } from './cluster/cluster.ts';
import { RegistryCluster } from './cluster/registry-cluster.ts';
import { cronJobController } from './cron-job/index.ts';
import { daemonSetController } from './daemon-set/index.ts';
import { deploymentController } from './deployment/index.ts';
import { jobController } from './job/index.ts';
import { simulateNodes } from './nodes/simulation.ts';
import { replicaSetController } from './replica-set.ts';
import { scheduler } from './scheduling/scheduler.ts';
import { endpointSliceController } from './services/endpoint-slice.ts';
import { endpointsController } from './services/endpoints-controller.ts';
import { statefulSetController } from './stateful-set/index.ts';

interface Controller {
  stop(): void;
}

const starters: Readonly<Record<string, (cluster: Cluster) => Controller>> = {
  'cronjob-controller': cronJobController,
  'daemonset-controller': daemonSetController,
  'deployment-controller': deploymentController,
  'endpoints-controller': endpointsController,
  'endpointslice-controller': endpointSliceController,
  'horizontal-pod-autoscaler-controller': horizontalPodAutoscalerController,
  'job-controller': jobController,
  'replicaset-controller': replicaSetController,
  'statefulset-controller': statefulSetController,
  scheduler,
};

export interface WorkloadOptions {
  /** Names of the controllers to run. */
  readonly controllers: readonly string[];
  readonly simulatedNodes: number;
}

export interface WorkloadContext {
  readonly registryNamed: (plural: Plural) => ObjectRegistry;
  readonly metricsRegistry: () => ObjectRegistry | undefined;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Starts workload controllers and simulated nodes on the registries of this process. */
export function startWorkloads(context: WorkloadContext, options: WorkloadOptions): Controller {
  const cluster = new RegistryCluster({
    registryNamed: context.registryNamed,
    now: context.now,
    random: Math.random,
    logger: context.logger,
    metricsRegistry: context.metricsRegistry,
  });
  return startOn(cluster, options);
}

/** The same on any API server. */
export function startOn(cluster: Cluster, { controllers, simulatedNodes }: WorkloadOptions): Controller {
  const running = controllers.map((name) => starters[name]?.(cluster));
  if (simulatedNodes > 0) running.push(simulateNodes(cluster, simulatedNodes));
  return {
    stop() {
      for (const controller of running) controller?.stop();
      cluster.stop();
    },
  };
}
