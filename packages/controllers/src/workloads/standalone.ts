import { silentLogger } from '@tsukube/apiserver';
import { KubeClient, type KubeconfigOptions } from '@tsukube/client';
import { ClientCluster, type ClientClusterOptions } from './cluster/client-cluster.ts';
import { startOn, type WorkloadOptions } from './index.ts';

export interface StandaloneOptions extends WorkloadOptions, KubeconfigOptions, Partial<ClientClusterOptions> {}

export interface RunningWorkloads {
  stop(): void;
}

/**
 * Runs workload controllers and simulated nodes against any API server, over HTTP: kube-apiserver as well. Without a kubeconfig,
 * the usual places are searched. Rejects with KubeconfigError.
 */
export async function runWorkloads(options: StandaloneOptions): Promise<RunningWorkloads> {
  const { now = Date.now, random = Math.random, logger = silentLogger } = options;
  const client = await KubeClient.load({ ...options, rateLimit: false });
  const running = startOn(new ClientCluster(client, { now, random, logger }), options);
  return {
    stop() {
      running.stop();
      client.close();
    },
  };
}
