import type { Logger } from '@tsukube/apiserver';

export interface RunningMetrics {
  close(): Promise<void>;
}

interface Closable {
  close(): Promise<void>;
}

/** Starts a node agent, metrics-server and custom-metrics-server on loopback addresses, as clients of the server. */
export async function startMetrics(kubeconfig: string, logger: Logger): Promise<RunningMetrics> {
  const [{ startNodeAgent }, { startMetricsServer }, { startCustomMetricsServer }] = await Promise.all([
    import('@tsukube/node-agent'),
    import('@tsukube/metrics-server'),
    import('@tsukube/custom-metrics-server'),
  ]);
  const common = { kubeconfig, host: '127.0.0.1', port: 0, unregisterOnClose: true } as const;
  const started: Closable[] = [];
  const close = async () => {
    for (const each of started.splice(0).reverse())
      await each.close().catch((error) => logger.warn('metrics did not close', { error: String(error) }));
  };
  try {
    const agent = await startNodeAgent({ kubeconfig, port: 0, logger: logger.child({ component: 'node-agent' }) });
    started.push(agent);
    const kubelet = { ca: agent.ca };
    started.push(await startMetricsServer({ ...common, kubelet, logger: logger.child({ component: 'metrics-server' }) }));
    const custom = { provider: 'written', logger: logger.child({ component: 'custom-metrics-server' }) } as const;
    started.push(await startCustomMetricsServer({ ...common, ...custom }));
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}
