import { auditFlags } from './audit-flags.ts';
import type { GivenOptions } from './options.ts';
import { UsageError } from './usage-error.ts';

/** What kube-apiserver refuses of the settings of a place that events go to, in its words. */
export function checkAudit(given: GivenOptions): void {
  if (given.auditLogPath !== undefined) checkPlace(given, 'auditLog', 'log');
  if (given.auditWebhookConfigFile !== undefined) checkPlace(given, 'auditWebhook', 'webhook');
}

type Prefix = 'auditLog' | 'auditWebhook';

function checkPlace(given: GivenOptions, prefix: Prefix, place: string): void {
  const value = <K extends keyof typeof auditFlags>(name: K) => given[name] ?? auditFlags[name].fallback;
  const [qps, burst] = [value(`${prefix}BatchThrottleQps`) as number, value(`${prefix}BatchThrottleBurst`) as number];
  if (value(`${prefix}Mode`) === 'batch' && value(`${prefix}BatchThrottleEnable`)) {
    if (qps <= 0) throw new UsageError(`invalid audit batch ${place} throttle QPS ${qps}, must be a positive number`);
    if (burst <= 0) throw new UsageError(`invalid audit batch ${place} throttle burst ${burst}, must be a positive number`);
  }
  const [batch, event] = [value(`${prefix}TruncateMaxBatchSize`) as number, value(`${prefix}TruncateMaxEventSize`) as number];
  if (batch < event)
    throw new UsageError(
      `invalid audit truncate ${place} max batch size ${batch}, must be greater than max event size (${event})`,
    );
}
