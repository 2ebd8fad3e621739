import { StatusError } from '@tsukube/machinery';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import type { ServedVersion } from '../../registry/resource.ts';
import type { ObjectCache } from '../../watchcache/object-cache.ts';
import { RequestAuthorizer } from '../cel/authorizer.ts';
import type { MatchResult } from '../cel/match-conditions.ts';
import { matchedVersion } from '../matching/match-criteria.ts';
import { type VersionedAttributes, versionedAttributes } from '../versioned-attributes.ts';
import type { CompiledWebhook, WebhookSource } from './webhook.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** Dependencies of both webhook plugins. */
export interface WebhookDependencies {
  readonly source: WebhookSource;
  /** Undefined if Namespaces are not served. */
  readonly namespaces: ObjectCache | undefined;
  /** For match conditions. */
  readonly authorizer: Authorizer;
  readonly metrics: WebhookMetrics;
}

type Invocation = VersionedAttributes | undefined;

/** The request in the version for the webhook; undefined if the webhook is not called. Throws or rejects with a StatusError. */
export function invocationOf(
  webhook: CompiledWebhook,
  attributes: AdmissionAttributes,
  dependencies: WebhookDependencies,
): Invocation | Promise<Invocation> {
  const matched = matchedVersion(webhook.match, attributes, dependencies.namespaces);
  if (!matched) return undefined;
  return matched instanceof Promise
    ? matched.then((version) => version && inVersion(webhook, version, attributes, dependencies))
    : inVersion(webhook, matched, attributes, dependencies);
}

function inVersion(
  webhook: CompiledWebhook,
  version: ServedVersion,
  attributes: AdmissionAttributes,
  dependencies: WebhookDependencies,
): Invocation | Promise<Invocation> {
  const versioned = versionedAttributes(attributes, version);
  return versioned instanceof Promise
    ? versioned.then((converted) => ifConditionsMatch(webhook, converted, dependencies))
    : ifConditionsMatch(webhook, versioned, dependencies);
}

function ifConditionsMatch(
  webhook: CompiledWebhook,
  versioned: VersionedAttributes,
  { authorizer, metrics }: WebhookDependencies,
): Invocation | Promise<Invocation> {
  const { attributes } = versioned;
  const decide = (result: MatchResult): Invocation => {
    if ('error' in result) throw notEvaluated(attributes, result.error);
    if (result.matches) return versioned;
    metrics.excluded(webhook, attributes.operation);
    return undefined;
  };
  const result = webhook.conditions.evaluate(versioned, { authorizer: new RequestAuthorizer(authorizer, attributes.user) });
  return result instanceof Promise ? result.then(decide) : decide(result);
}

/** The request is rejected if it is unknown whether the webhook had to be called. */
function notEvaluated({ version, resource, name }: AdmissionAttributes, error: string): StatusError {
  return StatusError.forbidden({ group: version.group, resource: resource.names.plural }, name, error);
}
