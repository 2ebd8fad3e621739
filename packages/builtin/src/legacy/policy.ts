import type { ServedVersion } from '@tsukube/apiserver';
import { deepEqual, type FieldError, type JsonObject, objectIn, objectsIn } from '@tsukube/machinery';
import { type Conversion, legacyVersion } from './legacy-version.ts';

const marker = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';
const empty: JsonObject = {};
const matchNone: JsonObject = { matchExpressions: [{ key: marker, operator: 'Exists' }] };
const matchAll: JsonObject = { matchExpressions: [{ key: marker, operator: 'DoesNotExist' }] };

/** An empty selector selects nothing in v1beta1 and everything in v1. */
const conversion: Conversion = {
  toHub: (budget) =>
    withSelector(budget, (selector) => {
      if (deepEqual(selector, empty)) return matchNone;
      return deepEqual(selector, matchAll) ? empty : withoutMarker(selector);
    }),
  fromHub: (budget) =>
    withSelector(budget, (selector) => {
      if (deepEqual(selector, matchNone)) return empty;
      return deepEqual(selector, empty) ? matchAll : selector;
    }),
};

function withSelector(budget: JsonObject, convert: (selector: JsonObject) => JsonObject): JsonObject {
  const spec = objectIn(budget, 'spec');
  const selector = objectIn(spec, 'selector');
  return selector ? { ...budget, spec: { ...spec, selector: convert(selector) } } : budget;
}

/** What stands for an empty selector is never combined with what a user asks for. */
function withoutMarker(selector: JsonObject): JsonObject {
  const expressions = objectsIn(selector, 'matchExpressions').filter(({ key }) => key !== marker);
  return { ...selector, matchExpressions: expressions };
}

export const disruptionBudgetVersions: readonly ServedVersion[] = [
  legacyVersion({
    group: 'policy',
    type: 'policy.v1beta1.PodDisruptionBudget',
    hub: 'policy.v1.PodDisruptionBudget',
    deprecated: 21,
    removed: 25,
    replacement: 'policy/v1 PodDisruptionBudget',
    conversion,
  }),
];

const defaults = { failurePolicy: 'Ignore', matchPolicy: 'Exact', sideEffects: 'Unknown', timeoutSeconds: 30 } as const;

/** v1beta1 was more lenient than v1 with webhooks that say nothing. */
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

/** Webhooks could have side effects, and share their names. */
function judge(error: FieldError): FieldError | undefined {
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
    judge,
  });
}

export const mutatingWebhookVersions: readonly ServedVersion[] = [configurationVersion('MutatingWebhookConfiguration')];
export const validatingWebhookVersions: readonly ServedVersion[] = [configurationVersion('ValidatingWebhookConfiguration')];
