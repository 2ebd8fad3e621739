import type { AdmissionOperation, PluginMetrics } from '../../registry/admission.ts';
import { WebhookCallError, WebhookRejection } from './call-webhook.ts';
import type { CompiledWebhook } from './webhook.ts';

/** Metrics of webhook calls, under kube-apiserver's names. */
export interface WebhookMetrics {
  /** A call that took `milliseconds` and ended with `error`, or was allowed. */
  called(webhook: CompiledWebhook, operation: AdmissionOperation, milliseconds: number, error?: unknown): void;
  failedOpen(webhook: CompiledWebhook): void;
  excluded(webhook: CompiledWebhook, operation: AdmissionOperation): void;
}

const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Larger codes would be an unbounded number of series. */
const maxCode = 600;

/** `type` is the value of the label: `admit` for mutating webhooks, `validating` for the others. */
export function webhookMetrics(metrics: PluginMetrics, type: 'admit' | 'validating'): WebhookMetrics {
  const durations = metrics.histogram({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: '[STABLE] Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'operation', 'rejected', 'type'],
    bounds,
  });
  const requests = metrics.counter({
    name: 'apiserver_admission_webhook_request_total',
    help: '[ALPHA] Admission webhook request total, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['code', 'name', 'operation', 'rejected', 'type'],
  });
  const rejections = metrics.counter({
    name: 'apiserver_admission_webhook_rejection_count',
    help: '[ALPHA] Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['error_type', 'name', 'operation', 'rejection_code', 'type'],
  });
  const failuresIgnored = metrics.counter({
    name: 'apiserver_admission_webhook_fail_open_count',
    help: '[ALPHA] Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).',
    labels: ['name', 'type'],
  });
  const exclusions = metrics.counter({
    name: 'apiserver_admission_match_condition_exclusions_total',
    help: '[ALPHA] Admission match condition evaluation exclusions count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
    labels: ['kind', 'name', 'operation', 'type'],
  });
  return {
    called({ name, ignoresFailures }, operation, milliseconds, error) {
      const { code, errorType } = outcomeOf(error);
      const isRejected = error !== undefined && !(ignoresFailures && errorType === 'calling_webhook_error');
      const rejected = String(isRejected);
      durations({ name, operation, rejected, type }, milliseconds / 1000);
      requests({ code, name, operation, rejected, type }, 1);
      if (isRejected) rejections({ error_type: errorType, name, operation, rejection_code: code, type }, 1);
    },
    failedOpen: ({ name }) => failuresIgnored({ name, type }, 1),
    excluded: ({ name }, operation) => exclusions({ kind: 'webhook', name, operation, type }, 1),
  };
}

function outcomeOf(error: unknown): { readonly code: string; readonly errorType: string } {
  if (error === undefined) return { code: '200', errorType: 'no_error' };
  if (error instanceof WebhookCallError) return { code: shown(error.code), errorType: 'calling_webhook_error' };
  if (error instanceof WebhookRejection) return { code: shown(error.code), errorType: 'no_error' };
  return { code: '0', errorType: 'apiserver_internal_error' };
}

function shown(code: number): string {
  return String(Math.min(code, maxCode));
}
