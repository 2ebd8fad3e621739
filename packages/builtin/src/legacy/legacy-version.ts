import { builtinTypes } from '@tsukube/api';
import type { Schema, ServedVersion } from '@tsukube/apiserver';
import { apiVersionOf, checkObject, deepCopy, type JsonObject, objectsIn } from '@tsukube/machinery';
import type { ErrorFilter, LenientVersion } from './lenient-validation.ts';
import { preserveLostFields, restoreLostFields } from './lost-fields.ts';

/** A removed version of a kind whose hub is still served. */
export interface LegacyVersion {
  readonly group: string;
  /** batch.v1beta1.CronJob */
  readonly type: string;
  /** batch.v1.CronJob; in `hubGroup` if set, otherwise in the same group. */
  readonly hub: string;
  readonly hubGroup?: string;
  /** Minor releases of Kubernetes. */
  readonly deprecated: number;
  readonly removed: number;
  /** The replacement in the deprecation warning: batch/v1 CronJob. */
  readonly replacement?: string | undefined;
  /** Defaults that differ from the hub. Mutates the object, which is a copy. */
  readonly applyDefaults?: (object: JsonObject) => void;
  /** Absent if only the apiVersion differs. Objects are normalized to their type. */
  readonly conversion?: LegacyConversion;
  readonly selectableFields?: ServedVersion['selectableFields'];
  /** Drops or rewrites validation errors of the hub. */
  readonly filterError?: ErrorFilter;
  /** Fields that writes in this version may set although the hub strategy resets them. */
  readonly preservedFields?: readonly string[];
  /** The strategy of the kind validates this version itself. */
  readonly validatedByKind?: boolean;
}

/** Converts everything but kind and apiVersion; field order and empty fields do not matter. Must not mutate its argument. */
export interface LegacyConversion {
  toHub(object: JsonObject): JsonObject;
  fromHub(hub: JsonObject): JsonObject;
}

export function legacyVersion(legacy: LegacyVersion): LenientVersion {
  const { group, selectableFields, filterError, preservedFields, validatedByKind } = legacy;
  const [, version = '', kind = ''] = legacy.type.split('.');
  const deprecationWarning = warning(`${group}/${version} ${kind}`, legacy);
  return {
    group,
    version,
    schema: schemaNamed(legacy.type),
    converter: converterOf(legacy, apiVersionOf({ group, version })),
    deprecationWarning,
    legacy: true,
    ...(selectableFields && { selectableFields }),
    ...(filterError && { filterError }),
    ...(preservedFields && { preservedFields }),
    ...(validatedByKind && { validatedByKind }),
  };
}

/** A copy with each object of a list converted; a missing list stays missing. */
export function withEach(owner: JsonObject, field: string, convert: (object: JsonObject) => JsonObject): JsonObject {
  return Array.isArray(owner[field]) ? { ...owner, [field]: objectsIn(owner, field).map(convert) } : owner;
}

function schemaNamed(type: string): Schema {
  const name = fullName(type);
  return { catalogue: builtinTypes, type: name, listType: `${name}List` };
}

function fullName(type: string): string {
  if (type.startsWith('apiregistration.')) return `io.k8s.kube-aggregator.pkg.apis.${type}`;
  return type.startsWith('apiextensions.') ? `io.k8s.apiextensions-apiserver.pkg.apis.${type}` : `io.k8s.api.${type}`;
}

function warning(name: string, { deprecated, removed, replacement }: LegacyVersion): string {
  const advice = replacement === undefined ? '' : `; use ${replacement}`;
  return `${name} is deprecated in v1.${deprecated}+, unavailable in v1.${removed}+${advice}`;
}

/**
 * Normalizes both sides to their type, so that conversions need not. Hub fields that the old version cannot express, and for
 * which Kubernetes has no annotation, are preserved in an annotation of this server.
 */
function converterOf(legacy: LegacyVersion, apiVersion: string): NonNullable<ServedVersion['converter']> {
  const { conversion, applyDefaults } = legacy;
  const [, version = ''] = legacy.hub.split('.');
  const hubApiVersion = apiVersionOf({ group: legacy.hubGroup ?? legacy.group, version });
  const asHub = (object: JsonObject) => inForm(legacy.hub, { ...object, apiVersion: hubApiVersion });
  const asOld = (object: JsonObject) => inForm(legacy.type, { ...object, apiVersion });
  if (!conversion && !applyDefaults) return { toHub: asHub, fromHub: asOld };

  const convert = conversion ?? { toHub: (object: JsonObject) => object, fromHub: (hub: JsonObject) => hub };
  const toHub = (object: JsonObject) => {
    const complete = applyDefaults ? deepCopy(object) : object;
    applyDefaults?.(complete);
    const hub = asHub(convert.toHub(asOld(complete)));
    const restored = restoreLostFields(object, hub);
    return restored === hub ? hub : asHub(restored);
  };
  return {
    toHub,
    fromHub(hub) {
      const known = asHub(hub);
      const old = asOld(convert.fromHub(known));
      const kept = preserveLostFields(old, toHub(old), known);
      return kept === old ? old : asOld(kept);
    },
  };
}

/** Normalizes to a type, which is looked up lazily. An object that does not match the type is returned as it is. */
function inForm(type: string, object: JsonObject): JsonObject {
  return checkObject(object, builtinTypes.get(fullName(type)), builtinTypes).value;
}

/** A version with the same fields as the hub. */
export function sameShape(
  type: string,
  group: string,
  deprecated: number,
  removed: number,
  more: Pick<LegacyVersion, 'replacement' | 'preservedFields'> = {},
): readonly ServedVersion[] {
  const [name, , kind] = type.split('.');
  const replacement = `${group}/v1 ${kind}`;
  return [legacyVersion({ group, type, hub: `${name}.v1.${kind}`, deprecated, removed, replacement, ...more })];
}
