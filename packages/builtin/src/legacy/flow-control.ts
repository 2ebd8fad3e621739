import type { ServedVersion } from '@tsukube/apiserver';
import { type FieldError, fillIn, type JsonObject, mapIn, objectIn, setKey } from '@tsukube/machinery';
import { type LegacyConversion, legacyVersion } from './legacy-version.ts';

const group = 'flowcontrol.apiserver.k8s.io';
const defaultShares = 30;
/** In v1beta3 zero shares mean the default unless this annotation is set. */
const preserveZero = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

function limitedIn(level: JsonObject): JsonObject | undefined {
  return objectIn(objectIn(level, 'spec'), 'limited');
}

function withLimited(level: JsonObject, limited: JsonObject): JsonObject {
  return { ...level, spec: { ...objectIn(level, 'spec'), limited } };
}

/** v1beta1 and v1beta2 have assuredConcurrencyShares. */
const assured: LegacyConversion = {
  toHub(level) {
    const limited = limitedIn(level);
    if (!limited) return level;
    const { assuredConcurrencyShares, ...rest } = limited;
    return withLimited(level, { ...rest, nominalConcurrencyShares: assuredConcurrencyShares ?? 0 });
  },
  fromHub(level) {
    const limited = limitedIn(level);
    if (!limited) return level;
    const { nominalConcurrencyShares, ...rest } = limited;
    return withLimited(level, { ...rest, assuredConcurrencyShares: nominalConcurrencyShares ?? 0 });
  },
};

function defaultAssured(level: JsonObject): void {
  const limited = limitedIn(level);
  if (limited) fillIn(limited, 'assuredConcurrencyShares', defaultShares);
}

function renameAssuredErrors(error: FieldError): FieldError {
  return { ...error, field: error.field.replace(/^(spec\.limited\.)nominal/, '$1assured') };
}

const nominal: LegacyConversion = {
  toHub: (level) => withAnnotation(level, false),
  fromHub: (level) => withAnnotation(level, limitedIn(level)?.nominalConcurrencyShares === 0),
};

function withAnnotation(level: JsonObject, zero: boolean): JsonObject {
  const metadata = objectIn(level, 'metadata');
  const annotations: JsonObject = {};
  for (const [name, value] of Object.entries(mapIn(metadata, 'annotations')))
    if (name !== preserveZero) setKey(annotations, name, value);
  if (zero) annotations[preserveZero] = '';
  return { ...level, metadata: { ...metadata, annotations } };
}

function defaultNominal(level: JsonObject): void {
  const limited = limitedIn(level);
  if (limited && !Object.hasOwn(mapIn(objectIn(level, 'metadata'), 'annotations'), preserveZero))
    fillIn(limited, 'nominalConcurrencyShares', defaultShares);
}

const withAssuredShares = {
  next: 'v1beta3',
  conversion: assured,
  applyDefaults: defaultAssured,
  filterError: renameAssuredErrors,
};
const releases = [
  { version: 'v1beta3', deprecated: 29, removed: 32, next: 'v1', conversion: nominal, applyDefaults: defaultNominal },
  { version: 'v1beta2', deprecated: 26, removed: 29, ...withAssuredShares },
  { version: 'v1beta1', deprecated: 23, removed: 26, ...withAssuredShares },
];

export const flowSchemaVersions: readonly ServedVersion[] = releases.map(({ version, deprecated, removed, next }) =>
  legacyVersion({
    group,
    type: `flowcontrol.${version}.FlowSchema`,
    hub: 'flowcontrol.v1.FlowSchema',
    deprecated,
    removed,
    replacement: `${group}/${next} FlowSchema`,
  }),
);

export const priorityLevelVersions: readonly ServedVersion[] = releases.map(({ version, next, ...rest }) =>
  legacyVersion({
    ...rest,
    group,
    type: `flowcontrol.${version}.PriorityLevelConfiguration`,
    hub: 'flowcontrol.v1.PriorityLevelConfiguration',
    replacement: `${group}/${next} PriorityLevelConfiguration`,
  }),
);
