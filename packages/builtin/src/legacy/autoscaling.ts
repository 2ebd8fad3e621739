import type { ServedVersion } from '@tsukube/apiserver';
import { type JsonObject, type JsonValue, mapIn, objectIn, parseQuantity, stringifyJson } from '@tsukube/machinery';
import { readAnnotationObject, roundTripAnnotations, withRoundTripAnnotations } from '../autoscaling/annotations.ts';
import {
  behaviorToHub,
  behaviorToV1,
  metricSpecToHub,
  metricSpecToV1,
  metricStatusToHub,
  metricStatusToV1,
  omitUndefined,
  withGoFieldNames,
} from '../autoscaling/metrics-v1.ts';
import { type LegacyConversion, legacyVersion, withEach } from './legacy-version.ts';

type Reword = (metric: JsonObject) => JsonObject;

/** Metrics read as those that v1 stores in an annotation; the behavior is stored in an annotation as well. */
const v2beta1Conversion: LegacyConversion = {
  toHub(object) {
    const metadata = objectIn(object, 'metadata') ?? {};
    const behavior = readAnnotationObject(metadata, roundTripAnnotations.behavior, 'Behavior', withGoFieldNames);
    const reworded = reword(object, metricSpecToHub, readingToHub);
    const spec = { ...objectIn(reworded, 'spec'), ...omitUndefined({ behavior: behavior && behaviorToHub(behavior) }) };
    return { ...reworded, metadata: withRoundTripAnnotations(metadata, {}), spec };
  },
  fromHub(hub) {
    const { behavior: _, ...spec } = objectIn(hub, 'spec') ?? {};
    const behavior = objectIn(objectIn(hub, 'spec'), 'behavior');
    const values = { [roundTripAnnotations.behavior]: behavior && stringifyJson(behaviorToV1(behavior)) };
    const metadata = withRoundTripAnnotations(objectIn(hub, 'metadata') ?? {}, values);
    return { ...reword({ ...hub, spec }, metricSpecToV1, metricStatusToV1), metadata };
  },
};

/** v2beta1 always has a value: a zero beside an average is ignored. */
function readingToHub(metric: JsonObject): JsonObject {
  const reading = metricStatusToHub(metric);
  for (const source of ['object', 'external']) {
    const current = objectIn(objectIn(reading, source), 'current');
    if (current?.averageValue !== undefined && isZero(current.value)) delete current.value;
  }
  return reading;
}

function isZero(quantity: JsonValue | undefined): boolean {
  return typeof quantity === 'string' && parseQuantity(quantity).mantissa === 0n;
}

function reword(object: JsonObject, source: Reword, reading: Reword): JsonObject {
  return {
    ...object,
    spec: withEach(objectIn(object, 'spec') ?? {}, 'metrics', source),
    status: withEach(objectIn(object, 'status') ?? {}, 'currentMetrics', reading),
  };
}

const tolerances = {
  scaleUp: 'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
  scaleDown: 'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
} as const;

const directions = ['scaleUp', 'scaleDown'] as const;

/** v2beta2 lacks only the tolerance. */
const v2beta2Conversion: LegacyConversion = {
  toHub(object) {
    const metadata = objectIn(object, 'metadata') ?? {};
    const annotations = mapIn(metadata, 'annotations');
    const spec = { ...objectIn(object, 'spec') };
    for (const direction of directions) {
      const tolerance = annotations[tolerances[direction]];
      if (tolerance !== undefined && isQuantity(tolerance)) spec.behavior = withTolerance(spec, direction, tolerance);
    }
    return { ...object, metadata: withRoundTripAnnotations(metadata, {}), spec };
  },
  fromHub(hub) {
    const behavior = objectIn(objectIn(hub, 'spec'), 'behavior');
    const toleranceOf = (direction: 'scaleUp' | 'scaleDown') => objectIn(behavior, direction)?.tolerance as string | undefined;
    const values = Object.fromEntries(directions.map((direction) => [tolerances[direction], toleranceOf(direction)]));
    return { ...hub, metadata: withRoundTripAnnotations(objectIn(hub, 'metadata') ?? {}, values) };
  },
};

function withTolerance(spec: JsonObject, direction: string, tolerance: JsonValue): JsonObject {
  const behavior = objectIn(spec, 'behavior');
  return { ...behavior, [direction]: { ...objectIn(behavior, direction), tolerance } };
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

const common = {
  group: 'autoscaling',
  hub: 'autoscaling.v2.HorizontalPodAutoscaler',
  replacement: 'autoscaling/v2 HorizontalPodAutoscaler',
};

export const autoscalerVersions: readonly ServedVersion[] = [
  legacyVersion({
    ...common,
    type: 'autoscaling.v2beta1.HorizontalPodAutoscaler',
    deprecated: 22,
    removed: 25,
    conversion: v2beta1Conversion,
  }),
  legacyVersion({
    ...common,
    type: 'autoscaling.v2beta2.HorizontalPodAutoscaler',
    deprecated: 23,
    removed: 26,
    conversion: v2beta2Conversion,
  }),
];
