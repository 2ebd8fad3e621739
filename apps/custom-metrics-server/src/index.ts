export {
  type CustomMetricsServerOptions,
  type ProviderChoice,
  type RunningCustomMetricsServer,
  startCustomMetricsServer,
} from './custom-metrics-server.ts';
export type { PrometheusClientOptions } from './prometheus/prometheus-client.ts';
export { RuleError } from './prometheus/rules.ts';
export type * from './provider/provider.ts';
