import type { JsonObject } from '@tsukube/machinery';
import type { NamedWebhook } from './named-webhooks.ts';
import { plainJson } from './plain-json.ts';
import type { AdmissionWebhook } from './webhook.ts';

/** How the API server reaches this program. */
export type WebhookTarget =
  | { readonly by: 'url'; readonly base: string }
  | { readonly by: 'service'; readonly namespace: string; readonly name: string; readonly port: number };

const kinds = { mutating: 'MutatingWebhookConfiguration', validating: 'ValidatingWebhookConfiguration' } as const;

/** The path of a configuration. */
export function configurationPath(type: AdmissionWebhook['type'], name: string): string {
  return `/apis/admissionregistration.k8s.io/v1/${kinds[type].toLowerCase()}s/${encodeURIComponent(name)}`;
}

export interface ConfigurationContent {
  readonly name: string;
  readonly webhooks: readonly NamedWebhook[];
  readonly target: WebhookTarget;
  /** PEM. */
  readonly ca: string;
}

/** The configuration with the webhooks of one type; undefined if there are none. */
export function configurationOf(type: AdmissionWebhook['type'], content: ConfigurationContent): JsonObject | undefined {
  const webhooks = content.webhooks.filter(({ webhook }) => webhook.type === type);
  if (webhooks.length === 0) return undefined;
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: kinds[type],
    metadata: { name: content.name },
    webhooks: webhooks.map((each) => entryOf(each, content)),
  };
}

function entryOf({ webhook: { match }, name, path }: NamedWebhook, { target, ca }: ConfigurationContent): JsonObject {
  const { group = '', version = 'v1', resource, subresource, operations, scope } = match;
  const suffix = subresource === undefined ? '' : `/${subresource}`;
  const { namespaceSelector, objectSelector, matchConditions, matchPolicy, failurePolicy, timeoutSeconds } = match;
  return plainJson({
    name,
    clientConfig: { ...clientConfig(target, path), caBundle: Buffer.from(ca).toString('base64') },
    rules: [
      {
        apiGroups: [group].flat(),
        apiVersions: [version].flat(),
        resources: [resource].flat().map((each) => each + suffix),
        operations,
        scope,
      },
    ],
    namespaceSelector,
    objectSelector,
    matchConditions,
    matchPolicy,
    failurePolicy,
    timeoutSeconds,
    reinvocationPolicy: match.reinvocationPolicy,
    sideEffects: match.sideEffects ?? 'None',
    admissionReviewVersions: ['v1', 'v1beta1'],
  }) as JsonObject;
}

function clientConfig(target: WebhookTarget, path: string): JsonObject {
  if (target.by === 'url') return { url: target.base.replace(/\/$/, '') + path };
  return { service: { namespace: target.namespace, name: target.name, port: target.port, path } };
}
