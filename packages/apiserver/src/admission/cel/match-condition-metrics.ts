import type { PluginMetrics } from '../../registry/admission.ts';

/** Records evaluations of the match conditions of one policy or webhook. */
export interface MatchConditionMetrics {
  error(operation: string): void;
  duration(operation: string, milliseconds: number): void;
}

/** The labels of a policy or webhook. */
export interface ConditionOwner {
  readonly name: string;
  readonly kind: 'policy' | 'webhook';
  readonly type: 'admit' | 'validate';
}

const labels = ['name', 'kind', 'type', 'operation'];

/** Defines the metrics; the returned function binds them to an owner. */
export function matchConditionMetrics(metrics: PluginMetrics): (owner: ConditionOwner) => MatchConditionMetrics {
  const errors = metrics.counter({
    name: 'apiserver_admission_match_condition_evaluation_errors_total',
    help: 'Match conditions that could not be evaluated.',
    labels,
  });
  const durations = metrics.histogram({
    name: 'apiserver_admission_match_condition_evaluation_seconds',
    help: 'Duration of evaluations of match conditions that did not match, in seconds.',
    labels,
    bounds: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
  });
  return (owner) => ({
    error: (operation) => errors({ ...owner, operation }, 1),
    duration: (operation, milliseconds) => durations({ ...owner, operation }, milliseconds / 1000),
  });
}
