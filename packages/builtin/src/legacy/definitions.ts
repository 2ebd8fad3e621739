import type { ServedVersion } from '@tsukube/apiserver';
import { type SharedField, splitSharedFields } from '@tsukube/crds';
import {
  definedFields,
  FieldErrors,
  fillIn,
  isObject,
  type JsonObject,
  type JsonValue,
  objectIn,
  objectsIn,
  path,
  StatusError,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { type LegacyConversion, legacyVersion } from './legacy-version.ts';

/** v1beta1 has the shared fields of versions at the top level of the spec. */
const parts: readonly (readonly [top: string, part: SharedField])[] = [
  ['subresources', 'subresources'],
  ['validation', 'schema'],
  ['additionalPrinterColumns', 'additionalPrinterColumns'],
  ['selectableFields', 'selectableFields'],
];

const definitionConversion: LegacyConversion = {
  toHub(object) {
    const spec = objectIn(object, 'spec') ?? {};
    refuseContradictions(object, spec);
    const { version: _, versions, validation, subresources, additionalPrinterColumns, selectableFields, ...rest } = spec;
    const shared = parts.flatMap(([top, part]) => (spec[top] === undefined ? [] : [[part, spec[top]] as const]));
    return {
      ...object,
      spec: {
        ...rest,
        ...(Array.isArray(versions) && { versions: objectsIn(spec, 'versions').map((each) => versionToHub(each, shared)) }),
        ...(isObject(spec.conversion) && { conversion: conversionToHub(spec.conversion) }),
      },
    };
  },
  fromHub(hub) {
    const spec = objectIn(hub, 'spec') ?? {};
    const { shared, versions } = splitSharedFields(spec);
    const top = parts.flatMap(([name, part]) =>
      shared[part] === undefined ? [] : [[name, withColumns(part, shared[part], 'JSONPath')]],
    );
    return {
      ...hub,
      spec: {
        ...spec,
        ...(versions.length > 0 && { version: textIn(versions[0], 'name') }),
        ...(Array.isArray(spec.versions) && { versions: versions.map((version) => versionFromHub(version)) }),
        ...Object.fromEntries(top),
        ...(isObject(spec.conversion) && { conversion: conversionFromHub(spec.conversion) }),
        preserveUnknownFields: spec.preserveUnknownFields === true,
      },
    };
  },
};

/** A field may be set at the top level or per version, not both. */
function refuseContradictions(object: JsonObject, spec: JsonObject): void {
  const errors = new FieldErrors();
  for (const [top, part] of parts) {
    if (top === 'selectableFields' || spec[top] === undefined) continue;
    const name = part === 'schema' ? 'schemas' : part;
    if (objectsIn(spec, 'versions').some((version) => version[part] !== undefined))
      errors.forbidden(path('spec', top), `top-level and per-version ${name} are mutually exclusive`);
  }
  const [version, first] = [textIn(spec, 'version'), textIn(objectsIn(spec, 'versions')[0], 'name')];
  if (version !== '' && objectsIn(spec, 'versions').length > 0 && version !== first)
    errors.invalid(path('spec', 'version'), version, 'must match the first version in spec.versions');
  const kind = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };
  if (errors.length > 0) throw StatusError.invalid(kind, textIn(objectIn(object, 'metadata'), 'name'), errors);
}

function versionToHub(version: JsonObject, shared: readonly (readonly [SharedField, JsonValue | undefined])[]): JsonObject {
  const whole = definedFields({ ...version, ...Object.fromEntries(shared) });
  const columns = withColumns('additionalPrinterColumns', whole.additionalPrinterColumns, 'jsonPath');
  return columns === undefined ? whole : { ...whole, additionalPrinterColumns: columns };
}

function versionFromHub(version: JsonObject): JsonObject {
  const columns = withColumns('additionalPrinterColumns', version.additionalPrinterColumns, 'JSONPath');
  return columns === undefined ? version : { ...version, additionalPrinterColumns: columns };
}

/** v1beta1 has JSONPath instead of jsonPath. */
function withColumns(part: SharedField, value: JsonValue | undefined, to: 'jsonPath' | 'JSONPath'): JsonValue | undefined {
  if (part !== 'additionalPrinterColumns' || !Array.isArray(value)) return value;
  const from = to === 'jsonPath' ? 'JSONPath' : 'jsonPath';
  return value.filter(isObject).map(({ [from]: jsonPath, ...column }) => ({ ...column, [to]: jsonPath ?? '' }));
}

function conversionToHub({ webhookClientConfig, conversionReviewVersions, ...conversion }: JsonObject): JsonObject {
  if (webhookClientConfig === undefined && conversionReviewVersions === undefined) return conversion;
  const webhook: JsonObject = {
    ...(webhookClientConfig !== undefined && { clientConfig: webhookClientConfig }),
    conversionReviewVersions: conversionReviewVersions ?? null,
  };
  return { ...conversion, webhook };
}

function conversionFromHub({ webhook, ...conversion }: JsonObject): JsonObject {
  if (!isObject(webhook)) return conversion;
  return {
    ...conversion,
    ...(webhook.clientConfig !== undefined && { webhookClientConfig: webhook.clientConfig }),
    ...(Array.isArray(webhook.conversionReviewVersions) && { conversionReviewVersions: webhook.conversionReviewVersions }),
  };
}

/** v1beta1 defaults preserveUnknownFields, scope and versions. */
function defaultDefinition(object: JsonObject): void {
  const spec = objectIn(object, 'spec');
  if (!spec) return;
  fillIn(spec, 'scope', 'Namespaced');
  const version = textIn(spec, 'version');
  if (objectsIn(spec, 'versions').length === 0 && version !== '')
    spec.versions = [{ name: version, served: true, storage: true }];
  const conversion = objectIn(spec, 'conversion');
  if (conversion?.strategy === 'Webhook' && textsIn(conversion, 'conversionReviewVersions').length === 0)
    conversion.conversionReviewVersions = ['v1beta1'];
  spec.preserveUnknownFields ??= true;
}

export const definitionVersions: readonly ServedVersion[] = [
  legacyVersion({
    group: 'apiextensions.k8s.io',
    type: 'apiextensions.v1beta1.CustomResourceDefinition',
    hub: 'apiextensions.v1.CustomResourceDefinition',
    deprecated: 16,
    removed: 22,
    replacement: 'apiextensions.k8s.io/v1 CustomResourceDefinition',
    applyDefaults: defaultDefinition,
    conversion: definitionConversion,
    validatedByKind: true,
  }),
];
