import type { Family } from '../metrics/prometheus/family.ts';
import type { Registry } from '../metrics/prometheus/registry.ts';
import type { CounterSeries } from '../metrics/prometheus/series.ts';
import type { AuditLevel } from './policy.ts';

export interface AuditMetrics {
  readonly events: CounterSeries;
  readonly rejected: CounterSeries;
  readonly levels: Readonly<Record<AuditLevel, () => CounterSeries>>;
  readonly errors: Family<'plugin', CounterSeries>;
}

/** Metrics of auditing, under kube-apiserver's names. */
export function auditMetrics(registry: Registry): AuditMetrics {
  const levels = registry.counter({
    name: 'apiserver_audit_level_total',
    help: '[ALPHA] Counter of policy levels for audit events (1 per request).',
    labels: ['level'],
  });
  const ofLevel = (level: AuditLevel) => {
    let counter: CounterSeries | undefined;
    return () => {
      counter ??= levels.with({ level });
      return counter;
    };
  };
  return {
    events: registry
      .counter({
        name: 'apiserver_audit_event_total',
        help: '[ALPHA] Counter of audit events generated and sent to the audit backend.',
      })
      .with({}),
    rejected: registry
      .counter({
        name: 'apiserver_audit_requests_rejected_total',
        help: '[ALPHA] Counter of apiserver requests rejected due to an error in audit logging backend.',
      })
      .with({}),
    levels: {
      None: ofLevel('None'),
      Metadata: ofLevel('Metadata'),
      Request: ofLevel('Request'),
      RequestResponse: ofLevel('RequestResponse'),
    },
    errors: registry.counter({
      name: 'apiserver_audit_error_total',
      help: '[ALPHA] Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
      labels: ['plugin'],
    }),
  };
}
