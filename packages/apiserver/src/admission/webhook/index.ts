import type { Authorizer } from '../../authorization/authorizer.ts';
import type { ServiceResolver } from '../../outbound/service-resolver.ts';
import type { FindCredentials } from '../../outbound/webhook-client.ts';
import type { AdmissionPlugin, PluginMetrics } from '../../registry/admission.ts';
import type { ObjectCache } from '../../watchcache/object-cache.ts';
import { matchConditionMetrics } from '../cel/match-condition-metrics.ts';
import type { WebhookDependencies } from './invocation.ts';
import { mutatingWebhooks } from './mutating-webhooks.ts';
import { validatingWebhooks } from './validating-webhooks.ts';
import { webhookSource } from './webhook.ts';
import { webhookMetrics } from './webhook-metrics.ts';

/** Dependencies of the webhook plugins. Caches are undefined if the resource is not served. */
export interface WebhookPluginParts {
  readonly cacheOf: (group: string, resource: string) => ObjectCache | undefined;
  readonly resolveService: ServiceResolver;
  readonly authorizer: Authorizer;
  readonly webhookCredentials: (plugin: string) => FindCredentials | undefined;
  readonly metrics: PluginMetrics;
}

const group = 'admissionregistration.k8s.io';

export function mutatingWebhookPlugin(parts: WebhookPluginParts): AdmissionPlugin {
  const findCredentials = parts.webhookCredentials('MutatingAdmissionWebhook');
  return mutatingWebhooks(dependencies(parts, 'mutatingwebhookconfigurations', 'admit', findCredentials));
}

export function validatingWebhookPlugin(parts: WebhookPluginParts): AdmissionPlugin {
  const findCredentials = parts.webhookCredentials('ValidatingAdmissionWebhook');
  return validatingWebhooks(dependencies(parts, 'validatingwebhookconfigurations', 'validating', findCredentials));
}

function dependencies(
  { cacheOf, resolveService, authorizer, metrics }: WebhookPluginParts,
  resource: string,
  type: 'admit' | 'validating',
  findCredentials: FindCredentials | undefined,
): WebhookDependencies {
  const conditionMetrics = matchConditionMetrics(metrics);
  return {
    source: webhookSource({
      configurations: cacheOf(group, resource),
      resolve: resolveService,
      findCredentials,
      conditionMetrics: (name) => conditionMetrics({ name, kind: 'webhook', type: type === 'admit' ? 'admit' : 'validate' }),
    }),
    namespaces: cacheOf('', 'namespaces'),
    authorizer,
    metrics: webhookMetrics(metrics, type),
  };
}
