export {
  type KubeletOptions,
  type MetricsServerOptions,
  type RunningMetricsServer,
  startMetricsServer,
} from './metrics-server.ts';
