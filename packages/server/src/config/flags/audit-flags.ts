import { choice, decimal, duration, inputFile, integer, optionalDuration, optionalText, toggle } from './flag-types.ts';
import type { GivenOptions } from './options.ts';
import { UsageError } from './usage-error.ts';

const modes = ['batch', 'blocking', 'blocking-strict'] as const;
const version = { group: 'Audit', of: ['audit.k8s.io/v1'], fallback: 'audit.k8s.io/v1', placeholder: 'VERSION' } as const;
const maxQps = 1_000_000;

const mode = (fallback: (typeof modes)[number], of: string) =>
  choice({
    group: 'Audit',
    of: modes,
    fallback,
    help: `Whether ${of} wait for events to be stored (blocking), are refused if they cannot be (blocking-strict), or do not wait (batch).`,
  });
const number = (fallback: number, min: number, help: string) => integer({ group: 'Audit', fallback, min, help });
const inBatches = 'Only in batch mode.';

const batchFlags = (maxSize: number) => ({
  bufferSize: number(10_000, 1, `Maximum number of buffered events; events beyond it are dropped and counted. ${inBatches}`),
  maxSize: number(maxSize, 1, `Maximum number of events in a batch. ${inBatches}`),
  throttleQps: (fallback: number) =>
    decimal({
      group: 'Audit',
      fallback,
      min: 0,
      max: maxQps,
      placeholder: 'N',
      help: `Maximum batches per second. ${inBatches}`,
    }),
  throttleBurst: (fallback: number) => number(fallback, 0, `Maximum burst of batches. ${inBatches}`),
});
const maxWait = (fallback: number) =>
  duration({ group: 'Audit', fallback, help: `Maximum time an event waits for its batch to fill. ${inBatches}` });
const throttle = (fallback: boolean) => toggle({ group: 'Audit', fallback, help: `Enable throttling of batches. ${inBatches}` });
const truncation = {
  enabled: toggle({ group: 'Audit', fallback: false, help: 'Truncate events that are too large.' }),
  batch: number(10 << 20, 1, 'Approximate maximum size of a batch in bytes; larger batches are split.'),
  event: number(
    100 << 10,
    1,
    'Maximum size of an event in bytes; larger events lose their objects, and are dropped if that is not enough.',
  ),
};
const ofLog = batchFlags(1);
const ofWebhook = batchFlags(400);

/** Flags of auditing. */
export const auditFlags = {
  auditPolicyFile: inputFile({
    group: 'Audit',
    help: 'Audit policy (audit.k8s.io/v1): which requests are recorded, at which level.',
  }),
  auditLogPath: optionalText({
    group: 'Audit',
    placeholder: 'FILE',
    help: 'Audit log file; - for standard output.',
  }),
  auditLogFormat: choice({
    group: 'Audit',
    of: ['json', 'legacy'],
    fallback: 'json',
    help: 'Format of events: JSON objects, or lines of text.',
  }),
  auditLogMaxage: number(366, 0, 'Days to retain rotated files; 0 for no limit.'),
  auditLogMaxbackup: number(100, 0, 'Number of rotated files to retain; 0 for no limit.'),
  auditLogMaxsize: number(100, 0, 'Size in megabytes at which the file is rotated; 0 for never.'),
  auditLogCompress: toggle({ group: 'Audit', fallback: false, help: 'Compress rotated files.' }),
  auditLogVersion: choice({ ...version, help: 'API version of the events in the file.' }),
  auditLogMode: mode('blocking', 'requests'),
  auditLogBatchBufferSize: ofLog.bufferSize,
  auditLogBatchMaxSize: ofLog.maxSize,
  auditLogBatchMaxWait: maxWait(0),
  auditLogBatchThrottleEnable: throttle(false),
  auditLogBatchThrottleQps: ofLog.throttleQps(0),
  auditLogBatchThrottleBurst: ofLog.throttleBurst(0),
  auditLogTruncateEnabled: truncation.enabled,
  auditLogTruncateMaxBatchSize: truncation.batch,
  auditLogTruncateMaxEventSize: truncation.event,
  auditWebhookConfigFile: inputFile({ group: 'Audit', help: 'Kubeconfig of the audit webhook.' }),
  auditWebhookInitialBackoff: duration({
    group: 'Audit',
    fallback: 10_000,
    help: 'Delay before the first retry of a failed batch.',
  }),
  auditWebhookBatchInitialBackoff: optionalDuration({
    group: 'Audit',
    help: 'Deprecated name of --audit-webhook-initial-backoff.',
  }),
  auditWebhookVersion: choice({ ...version, help: 'API version of the events sent to the webhook.' }),
  auditWebhookMode: mode('batch', 'requests'),
  auditWebhookBatchBufferSize: ofWebhook.bufferSize,
  auditWebhookBatchMaxSize: ofWebhook.maxSize,
  auditWebhookBatchMaxWait: maxWait(30_000),
  auditWebhookBatchThrottleEnable: throttle(true),
  auditWebhookBatchThrottleQps: ofWebhook.throttleQps(10),
  auditWebhookBatchThrottleBurst: ofWebhook.throttleBurst(15),
  auditWebhookTruncateEnabled: truncation.enabled,
  auditWebhookTruncateMaxBatchSize: truncation.batch,
  auditWebhookTruncateMaxEventSize: truncation.event,
};

/** kube-apiserver's checks of the backend flags, with its messages. */
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
