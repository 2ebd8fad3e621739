import { readFileSync } from 'node:fs';
import {
  type AuditOptions,
  type AuditPolicy,
  type AuditSink,
  batchingSink,
  type Logger,
  lenientSink,
  type OnLost,
  readAuditPolicy,
  type ServerMetrics,
  truncatingSink,
  unionSink,
} from '@tsukube/apiserver';
import { parseYaml } from '@tsukube/machinery';
import { UsageError } from '../config/flags/usage-error.ts';
import type { ServeOptions } from '../config/index.ts';
import { kubeconfigWebhook, readWebhookKubeconfig } from '../files/webhook-kubeconfig.ts';
import { ownFile } from '../processes/process-group.ts';
import { auditFile } from './audit-file.ts';
import { fileSink, outputSink, webhookSink } from './sinks.ts';

/** Opens auditing as configured by flags; undefined without an audit policy or backend. */
export async function openAuditing(
  options: ServeOptions,
  metrics: ServerMetrics,
  logger: Logger,
  worker = 0,
): Promise<AuditOptions | undefined> {
  if (options.auditPolicyFile === undefined) return undefined;
  const policy = await readPolicyFile(options.auditPolicyFile);
  const onLost: OnLost = (plugin, reason, events) => {
    metrics.audit.errors.with({ plugin }).increase(events.length);
    logger.error('audit events were lost', { plugin, reason, events: events.length });
  };
  const sinks = [...logSinks(options, onLost, logger, worker), ...(await webhookSinks(options, onLost))];
  return sinks.length === 0 ? undefined : { policy, sink: unionSink(sinks), metrics: metrics.audit };
}

async function readPolicyFile(path: string): Promise<AuditPolicy> {
  try {
    const { value } = await parseYaml(readFileSync(path));
    return readAuditPolicy(value);
  } catch (error) {
    throw new UsageError(`--audit-policy-file: loading audit policy file: ${(error as Error).message}: from file ${path}`);
  }
}

function logSinks(options: ServeOptions, onLost: OnLost, logger: Logger, worker: number): readonly AuditSink[] {
  if (options.auditLogPath === undefined) return [];
  const path = ownFile(options.auditLogPath, worker);
  const how = { format: options.auditLogFormat, onLost };
  const onError = (error: unknown) => logger.warn('audit log backups could not be cleaned up', { error: String(error) });
  const file = () =>
    auditFile(path, {
      maxBytes: options.auditLogMaxsize << 20,
      maxBackups: options.auditLogMaxbackup,
      maxAgeDays: options.auditLogMaxage,
      compress: options.auditLogCompress,
      onError,
    });
  return [wrapped(path === '-' ? outputSink(how) : fileSink(file(), how), options, 'auditLog', onLost)];
}

async function webhookSinks(options: ServeOptions, onLost: OnLost): Promise<readonly AuditSink[]> {
  const path = options.auditWebhookConfigFile;
  if (path === undefined) return [];
  const endpoint = await readWebhookKubeconfig(path).catch((error: Error) => {
    throw new UsageError(`--audit-webhook-config-file: initializing audit webhook: ${error.message}`);
  });
  return [
    wrapped(
      webhookSink(kubeconfigWebhook(endpoint), options.auditWebhookInitialBackoff, onLost),
      options,
      'auditWebhook',
      onLost,
    ),
  ];
}

/** Events are truncated before they are batched. */
function wrapped(sink: AuditSink, options: ServeOptions, prefix: 'auditLog' | 'auditWebhook', onLost: OnLost): AuditSink {
  const inMode = moded(sink, options, prefix, onLost);
  if (!options[`${prefix}TruncateEnabled`]) return inMode;
  return truncatingSink(inMode, {
    maxEventBytes: options[`${prefix}TruncateMaxEventSize`],
    maxBatchBytes: options[`${prefix}TruncateMaxBatchSize`],
    onLost,
  });
}

function moded(sink: AuditSink, options: ServeOptions, prefix: 'auditLog' | 'auditWebhook', onLost: OnLost): AuditSink {
  const mode = options[`${prefix}Mode`];
  if (mode === 'blocking-strict') return sink;
  if (mode === 'blocking') return lenientSink(sink);
  return batchingSink(sink, {
    bufferSize: options[`${prefix}BatchBufferSize`],
    maxBatchSize: options[`${prefix}BatchMaxSize`],
    maxWaitMs: options[`${prefix}BatchMaxWait`],
    throttle: options[`${prefix}BatchThrottleEnable`]
      ? { perSecond: options[`${prefix}BatchThrottleQps`], burst: options[`${prefix}BatchThrottleBurst`] }
      : undefined,
    concurrent: prefix === 'auditWebhook',
    onLost,
  });
}
