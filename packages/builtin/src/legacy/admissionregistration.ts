import type { ServedVersion } from '@tsukube/apiserver';
import { type FieldError, type JsonObject, objectsIn } from '@tsukube/machinery';
import { legacyVersion } from './legacy-version.ts';

const defaults = { failurePolicy: 'Ignore', matchPolicy: 'Exact', sideEffects: 'Unknown', timeoutSeconds: 30 } as const;

/** The defaults of v1beta1. */
function defaultWebhooks(configuration: JsonObject): void {
  for (const webhook of objectsIn(configuration, 'webhooks')) {
    for (const [field, value] of Object.entries(defaults)) webhook[field] ??= value;
    if (objectsIn(webhook, 'admissionReviewVersions').length === 0) webhook.admissionReviewVersions = ['v1beta1'];
  }
}

const sideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const supported = `supported values: ${sideEffects.map((each) => `"${each}"`).join(', ')}`;

function withSupported(body: string): string {
  const at = body.lastIndexOf('supported values: ');
  return at < 0 ? body : `${body.slice(0, at)}${supported}`;
}

/** v1beta1 allows all sideEffects and duplicate names. */
function filterError(error: FieldError): FieldError | undefined {
  if (error.reason === 'FieldValueDuplicate' && /^webhooks\[\d+]\.name$/.test(error.field)) return undefined;
  if (!error.field.endsWith('.sideEffects')) return error;
  if (sideEffects.some((each) => error.body.startsWith(`Unsupported value: "${each}":`))) return undefined;
  return { ...error, body: withSupported(error.body) };
}

function configurationVersion(kind: string): ServedVersion {
  return legacyVersion({
    group: 'admissionregistration.k8s.io',
    type: `admissionregistration.v1beta1.${kind}`,
    hub: `admissionregistration.v1.${kind}`,
    deprecated: 16,
    removed: 22,
    replacement: `admissionregistration.k8s.io/v1 ${kind}`,
    applyDefaults: defaultWebhooks,
    filterError,
  });
}

export const mutatingWebhookVersions: readonly ServedVersion[] = [configurationVersion('MutatingWebhookConfiguration')];
export const validatingWebhookVersions: readonly ServedVersion[] = [configurationVersion('ValidatingWebhookConfiguration')];
