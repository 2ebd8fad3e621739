import { type JsonObject, objectIn, objectsIn, textIn, textsIn } from '@tsukube/machinery';
import type { ServiceResolver } from '../../outbound/service-resolver.ts';
import { type FindCredentials, type WebhookClient, webhookClient } from '../../outbound/webhook-client.ts';
import { decodeObject } from '../../registry/stored-form.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import type { ObjectCache } from '../../watchcache/object-cache.ts';
import type { MatchConditionMetrics } from '../cel/match-condition-metrics.ts';
import { compileMatchConditions, type MatchConditions } from '../cel/match-conditions.ts';
import { compiledObjects } from '../matching/compiled-objects.ts';
import { compileWebhookMatch, type MatchCriteria } from '../matching/match-criteria.ts';
import type { ReviewVersion } from './admission-review.ts';

/** A webhook of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration, compiled. */
export interface CompiledWebhook {
  /** Unique among all webhooks: two of a configuration may have the same name. */
  readonly id: string;
  readonly configuration: string;
  readonly name: string;
  readonly match: MatchCriteria;
  readonly conditions: MatchConditions;
  /** failurePolicy Ignore: the request continues if the webhook cannot be called. */
  readonly ignoresFailures: boolean;
  /** Undefined if not set, which v1beta1 allowed. */
  readonly sideEffects: string | undefined;
  readonly timeoutMs: number;
  /** The first AdmissionReview version of the webhook that this server supports. */
  readonly reviewVersion: ReviewVersion | undefined;
  readonly isReinvocable: boolean;
  readonly client: WebhookClient;
}

export interface WebhookSource {
  /** In the order in which they are called: by configuration, then as listed there. */
  all(): readonly CompiledWebhook[] | Promise<readonly CompiledWebhook[]>;
}

/** Connections of a removed webhook are closed after the longest timeout of a call. */
const closeDelayMs = 60_000;
const defaultTimeoutSeconds = 10;
/** A response has at most a patch, which replaces at most the object. */
const maxResponseBytes = 8 << 20;

export interface WebhookSourceParts {
  /** Undefined if the configurations are not served. */
  readonly configurations: ObjectCache | undefined;
  readonly resolve: ServiceResolver;
  readonly findCredentials: FindCredentials | undefined;
  /** The metrics of the match conditions of a webhook, by its name. */
  readonly conditionMetrics: (name: string) => MatchConditionMetrics;
}

/** All webhooks of the configurations in a cache. */
export function webhookSource(parts: WebhookSourceParts): WebhookSource {
  const compiled = compiledObjects(parts.configurations, (entry) => compile(entry, parts), close);
  return {
    all() {
      const lists = compiled.all();
      return lists instanceof Promise ? lists.then(flatten) : flatten(lists);
    },
  };
}

function flatten(lists: readonly (readonly CompiledWebhook[])[]): readonly CompiledWebhook[] {
  return lists.length === 1 ? (lists[0] as readonly CompiledWebhook[]) : lists.flat();
}

function close(webhooks: readonly CompiledWebhook[]): void {
  if (webhooks.length === 0) return;
  setTimeout(() => {
    for (const { client } of webhooks) client.close();
  }, closeDelayMs).unref();
}

function compile(entry: CacheEntry, parts: WebhookSourceParts): readonly CompiledWebhook[] {
  const configuration = decodeObject(entry.value);
  const { name: configurationName = '' } = configuration.metadata;
  const seen = new Map<string, number>();
  return objectsIn(configuration, 'webhooks').map((webhook) => {
    const name = textIn(webhook, 'name');
    const ordinal = seen.get(name) ?? 0;
    seen.set(name, ordinal + 1);
    return compileWebhook(webhook, configurationName, `${configurationName}/${name}/${ordinal}`, parts);
  });
}

function compileWebhook(
  webhook: JsonObject,
  configuration: string,
  id: string,
  { resolve, findCredentials, conditionMetrics }: WebhookSourceParts,
): CompiledWebhook {
  const name = textIn(webhook, 'name');
  return {
    id,
    configuration,
    name,
    match: compileWebhookMatch(webhook),
    conditions: compileMatchConditions(objectsIn(webhook, 'matchConditions'), {
      failurePolicy: textIn(webhook, 'failurePolicy'),
      metrics: conditionMetrics(name),
    }),
    ignoresFailures: webhook.failurePolicy === 'Ignore',
    sideEffects: webhook.sideEffects === undefined ? undefined : textIn(webhook, 'sideEffects'),
    timeoutMs: 1000 * Number(webhook.timeoutSeconds ?? defaultTimeoutSeconds),
    reviewVersion: textsIn(webhook, 'admissionReviewVersions').find(isReviewVersion),
    isReinvocable: webhook.reinvocationPolicy === 'IfNeeded',
    client: webhookClient(objectIn(webhook, 'clientConfig') ?? {}, resolve, { maxResponseBytes, findCredentials }),
  };
}

function isReviewVersion(version: string): version is ReviewVersion {
  return version === 'v1' || version === 'v1beta1';
}
