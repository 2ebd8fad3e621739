import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { isAdmissionConfiguration } from '../matching/rules.ts';
import type { VersionedAttributes } from '../versioned-attributes.ts';
import { callWebhook, failedClosed, throwIfOver, WebhookCallError } from './call-webhook.ts';
import { invocationOf, type WebhookDependencies } from './invocation.ts';
import type { CompiledWebhook } from './webhook.ts';

interface Invocation {
  readonly webhook: CompiledWebhook;
  readonly versioned: VersionedAttributes | Promise<VersionedAttributes | undefined>;
}

/** ValidatingAdmissionWebhook: calls all matching webhooks at the same time. The request is rejected if one of them rejects it. */
export function validatingWebhooks(dependencies: WebhookDependencies): AdmissionPlugin {
  const { source } = dependencies;
  return {
    name: 'ValidatingAdmissionWebhook',
    validate(attributes) {
      if (isAdmissionConfiguration(attributes)) return;
      const webhooks = source.all();
      if (webhooks instanceof Promise) return webhooks.then((loaded) => validate(loaded, attributes, dependencies));
      return webhooks.length === 0 ? undefined : validate(webhooks, attributes, dependencies);
    },
  };
}

/** Synchronous if no webhook matches. */
function validate(
  webhooks: readonly CompiledWebhook[],
  attributes: AdmissionAttributes,
  dependencies: WebhookDependencies,
): void | Promise<void> {
  const matching: Invocation[] = [];
  for (const webhook of webhooks) {
    const versioned = invocationOf(webhook, attributes, dependencies);
    if (versioned) matching.push({ webhook, versioned });
  }
  if (matching.length > 0) return callAll(matching, attributes, dependencies);
}

/** All calls end before the first failure, in the order of the webhooks, is reported. */
async function callAll(
  matching: readonly Invocation[],
  attributes: AdmissionAttributes,
  dependencies: WebhookDependencies,
): Promise<void> {
  const resolved = await Promise.all(matching.map(async ({ webhook, versioned }) => ({ webhook, versioned: await versioned })));
  const invocations = resolved.flatMap(({ webhook, versioned }) => (versioned ? [{ webhook, versioned }] : []));
  if (invocations.length > 0) throwIfOver(attributes);
  const outcomes = await Promise.allSettled(
    invocations.map(({ webhook, versioned }, i) => invoke(webhook, i, versioned, dependencies)),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function invoke(
  webhook: CompiledWebhook,
  index: number,
  versioned: VersionedAttributes,
  { metrics }: WebhookDependencies,
): Promise<void> {
  const { attributes } = versioned;
  const begun = performance.now();
  try {
    await callWebhook(webhook, versioned, false);
    metrics.called(webhook, attributes.operation, performance.now() - begun);
  } catch (error) {
    metrics.called(webhook, attributes.operation, performance.now() - begun, error);
    if (!(error instanceof WebhookCallError)) throw error;
    if (!webhook.ignoresFailures) throw failedClosed(error);
    metrics.failedOpen(webhook);
    attributes.annotate(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, webhook.name);
  }
}
