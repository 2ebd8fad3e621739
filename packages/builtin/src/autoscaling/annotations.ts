import {
  checkObject,
  isObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  mapIn,
  parseJson,
  setKey,
} from '@tsukube/machinery';
import { metricType, metricTypes } from './metric-types.ts';

const domain = 'autoscaling.alpha.kubernetes.io';

/** Where versions that cannot say something keep it. */
export const kept = {
  metrics: `${domain}/metrics`,
  behavior: `${domain}/behavior`,
  currentMetrics: `${domain}/current-metrics`,
  conditions: `${domain}/conditions`,
} as const;

const roundTrip: ReadonlySet<string> = new Set([
  ...Object.values(kept),
  `${domain}/scale-down-tolerance`,
  `${domain}/scale-up-tolerance`,
]);

/** A copy of metadata in which only these of the annotations above are left. */
export function withKept(metadata: JsonObject, values: Readonly<Record<string, string | undefined>>): JsonObject {
  const annotations = new Map(Object.entries(mapIn(metadata, 'annotations')).filter(([name]) => !roundTrip.has(name)));
  for (const [name, value] of Object.entries(values)) if (value !== undefined) annotations.set(name, value);
  const { annotations: _, ...rest } = metadata;
  if (annotations.size === 0) return rest;
  const sorted: JsonObject = {};
  for (const name of [...annotations.keys()].sort()) setKey(sorted, name, annotations.get(name) as string);
  return { ...rest, annotations: sorted };
}

export function hasKept(metadata: JsonObject): boolean {
  return Object.keys(mapIn(metadata, 'annotations')).some((name) => roundTrip.has(name));
}

/** The list in an annotation; undefined if there is none that can be read, in which case it is as if it were not there. */
export function readKeptList(metadata: JsonObject, name: string, type: string): readonly JsonObject[] | undefined {
  const items = parse(metadata, name);
  if (items === undefined) return undefined;
  const checked = check({ items }, type);
  return checked && ((checked.items ?? []) as JsonObject[]);
}

/** The same for an object. */
export function readKeptObject(
  metadata: JsonObject,
  name: string,
  type: string,
  prepare: (value: JsonValue) => JsonValue,
): JsonObject | undefined {
  const value = prepare(parse(metadata, name) ?? null);
  return isObject(value) ? check(value, type) : undefined;
}

function parse(metadata: JsonObject, name: string): JsonValue | undefined {
  const text = mapIn(metadata, 'annotations')[name];
  if (text === undefined) return undefined;
  try {
    return parseJson(Buffer.from(text)).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function check(value: JsonObject, type: string): JsonObject | undefined {
  const checked = checkObject(value, metricTypes.get(metricType(type)), metricTypes);
  return checked.error === undefined ? checked.value : undefined;
}
