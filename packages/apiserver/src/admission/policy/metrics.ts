import type { MetricRecorder, PluginMetrics } from '../../registry/admission.ts';

/** Records checks of policies: `action` is allow, deny, audit or warn, and is only known for validating policies. */
export type PolicyRecorder = (labels: Readonly<Record<string, string>>, milliseconds: number) => void;

const bounds = [0.0000005, 0.001, 0.01, 0.1, 1];

export function policyMetrics(metrics: PluginMetrics, prefix: string, labels: readonly string[]): PolicyRecorder {
  const count: MetricRecorder = metrics.counter({
    name: `${prefix}_check_total`,
    help: 'Checks of expressions by policy and binding.',
    labels,
  });
  const duration: MetricRecorder = metrics.histogram({
    name: `${prefix}_check_duration_seconds`,
    help: 'Duration of expressions in seconds, by policy and binding.',
    labels,
    bounds,
  });
  return (values, milliseconds) => {
    count(values, 1);
    duration(values, milliseconds / 1000);
  };
}

/** The label `error_type` of an error message. */
export function policyErrorType(message: string): string {
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error';
}
