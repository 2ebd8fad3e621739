import { builtinTypes } from '@tsukube/api';
import type { Schema, ServedVersion } from '@tsukube/apiserver';
import { apiVersionOf, checkObject, deepCopy, type JsonObject, objectsIn } from '@tsukube/machinery';
import { keepLost, restoreLost } from './lost-fields.ts';
import type { Judge, LenientVersion } from './tolerance.ts';

/** A version that Kubernetes has removed, of a kind whose hub is still there. */
export interface LegacyVersion {
  readonly group: string;
  /** batch.v1beta1.CronJob */
  readonly type: string;
  /** batch.v1.CronJob; in the same group unless `hubGroup` says otherwise. */
  readonly hub: string;
  readonly hubGroup?: string;
  /** The minor releases of Kubernetes in which it was deprecated and removed. */
  readonly deprecated: number;
  readonly removed: number;
  /** What Kubernetes advises to use: batch/v1 CronJob. */
  readonly replacement?: string | undefined;
  /** What this version fills in differently from the hub. Changes the object, which is a copy. */
  readonly applyDefaults?: (object: JsonObject) => void;
  /** How the two differ besides their names; absent if they do not. Objects are in the form of their type. */
  readonly conversion?: Conversion;
  readonly selectableFields?: ServedVersion['selectableFields'];
  /** Where it is more lenient than the hub, or names fields differently. */
  readonly judge?: Judge;
  /** Fields that a write of this version sets, and one of the hub does not. */
  readonly keeps?: readonly string[];
  /** The kind knows itself what it asks of this version. */
  readonly ownRules?: boolean;
}

/** Without kind and apiVersion, and without minding order and empty fields. Neither side is mutated. */
export interface Conversion {
  toHub(object: JsonObject): JsonObject;
  fromHub(hub: JsonObject): JsonObject;
}

export function legacyVersion(legacy: LegacyVersion): LenientVersion {
  const { group, selectableFields, judge, keeps, ownRules } = legacy;
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
    ...(judge && { judge }),
    ...(keeps && { keeps }),
    ...(ownRules && { ownRules }),
  };
}

/** A copy in which each object of a list is converted; a list that is not there stays away. */
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
 * Both sides are given the form of their type, so that conversions need not mind it. What the old version cannot say, and
 * Kubernetes has no annotation for, is kept in one of ours.
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
    const restored = restoreLost(object, hub);
    return restored === hub ? hub : asHub(restored);
  };
  return {
    toHub,
    fromHub(hub) {
      const known = asHub(hub);
      const old = asOld(convert.fromHub(known));
      const kept = keepLost(old, toHub(old), known);
      return kept === old ? old : asOld(kept);
    },
  };
}

/** A type is looked up when something is first converted. An object that is not of the type is left as it is. */
function inForm(type: string, object: JsonObject): JsonObject {
  return checkObject(object, builtinTypes.get(fullName(type)), builtinTypes).value;
}

/** A kind that differs from its hub in nothing but the version, and perhaps in what may be written with it. */
export function sameShape(
  type: string,
  group: string,
  deprecated: number,
  removed: number,
  more: Pick<LegacyVersion, 'replacement' | 'keeps'> = {},
): readonly ServedVersion[] {
  const [name, , kind] = type.split('.');
  const replacement = `${group}/v1 ${kind}`;
  return [legacyVersion({ group, type, hub: `${name}.v1.${kind}`, deprecated, removed, replacement, ...more })];
}
