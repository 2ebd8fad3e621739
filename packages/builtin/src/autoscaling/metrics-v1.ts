import { type JsonObject, type JsonValue, objectIn, objectsIn, parseQuantity, textIn } from '@tsukube/machinery';

/** Converts one kind of metric source or metric status between v1 and v2. */
interface SourceConverter {
  toV1(source: JsonObject): JsonObject;
  toHub(source: JsonObject): JsonObject;
}

const sources: Readonly<Record<string, SourceConverter>> = {
  object: {
    toV1: (source) => ({
      target: objectIn(source, 'describedObject') ?? {},
      ...metricName(source),
      targetValue: objectIn(source, 'target')?.value ?? '0',
      ...metricSelector(source, 'selector'),
      ...omitUndefined({ averageValue: objectIn(source, 'target')?.averageValue }),
    }),
    toHub: (source) => ({
      describedObject: objectIn(source, 'target') ?? {},
      target: objectTarget(source),
      metric: identifier(source, 'selector'),
    }),
  },
  pods: {
    toV1: (source) => ({
      ...metricName(source),
      targetAverageValue: objectIn(source, 'target')?.averageValue ?? '0',
      ...metricSelector(source, 'selector'),
    }),
    toHub: (source) => ({
      metric: identifier(source, 'selector'),
      target: { type: 'AverageValue', averageValue: textIn(source, 'targetAverageValue') },
    }),
  },
  resource: {
    toV1: (source) => ({ name: textIn(source, 'name'), ...resourceTarget(source) }),
    toHub: (source) => ({ name: textIn(source, 'name'), target: utilizationTarget(source) }),
  },
  containerResource: {
    toV1: (source) => ({
      name: textIn(source, 'name'),
      ...resourceTarget(source),
      container: textIn(source, 'container'),
    }),
    toHub: (source) => ({
      name: textIn(source, 'name'),
      target: utilizationTarget(source),
      container: textIn(source, 'container'),
    }),
  },
  external: {
    toV1: (source) => ({
      ...metricName(source),
      ...metricSelector(source, 'metricSelector'),
      ...omitUndefined({
        targetValue: objectIn(source, 'target')?.value,
        targetAverageValue: objectIn(source, 'target')?.averageValue,
      }),
    }),
    toHub: (source) => ({
      metric: identifier(source, 'metricSelector'),
      target: {
        type: source.targetValue === undefined ? 'AverageValue' : 'Value',
        ...omitUndefined({ value: source.targetValue, averageValue: source.targetAverageValue }),
      },
    }),
  },
};

const readings: Readonly<Record<string, SourceConverter>> = {
  object: {
    toV1: (reading) => ({
      target: objectIn(reading, 'describedObject') ?? {},
      ...metricName(reading),
      currentValue: objectIn(reading, 'current')?.value ?? '0',
      ...metricSelector(reading, 'selector'),
      ...omitUndefined({ averageValue: objectIn(reading, 'current')?.averageValue }),
    }),
    toHub: (reading) => ({
      metric: identifier(reading, 'selector'),
      current: omitUndefined({ value: reading.currentValue, averageValue: reading.averageValue }),
      describedObject: objectIn(reading, 'target') ?? {},
    }),
  },
  pods: {
    toV1: (reading) => ({
      ...metricName(reading),
      currentAverageValue: objectIn(reading, 'current')?.averageValue ?? '0',
      ...metricSelector(reading, 'selector'),
    }),
    toHub: (reading) => ({
      metric: identifier(reading, 'selector'),
      current: { averageValue: textIn(reading, 'currentAverageValue') },
    }),
  },
  resource: {
    toV1: (reading) => ({ name: textIn(reading, 'name'), ...resourceReading(reading) }),
    toHub: (reading) => ({ name: textIn(reading, 'name'), current: utilizationReading(reading) }),
  },
  containerResource: {
    toV1: (reading) => ({
      name: textIn(reading, 'name'),
      ...resourceReading(reading),
      container: textIn(reading, 'container'),
    }),
    toHub: (reading) => ({
      name: textIn(reading, 'name'),
      current: utilizationReading(reading),
      container: textIn(reading, 'container'),
    }),
  },
  external: {
    toV1: (reading) => ({
      ...metricName(reading),
      ...metricSelector(reading, 'metricSelector'),
      currentValue: objectIn(reading, 'current')?.value ?? '0',
      ...omitUndefined({ currentAverageValue: objectIn(reading, 'current')?.averageValue }),
    }),
    toHub: (reading) => ({
      metric: identifier(reading, 'metricSelector'),
      current: omitUndefined({ value: reading.currentValue, averageValue: reading.currentAverageValue }),
    }),
  },
};

export const metricSpecToV1 = (metric: JsonObject): JsonObject => convertMetric(metric, sources, 'toV1');
export const metricSpecToHub = (metric: JsonObject): JsonObject => convertMetric(metric, sources, 'toHub');
export const metricStatusToV1 = (metric: JsonObject): JsonObject => convertMetric(metric, readings, 'toV1');
export const metricStatusToHub = (metric: JsonObject): JsonObject => convertMetric(metric, readings, 'toHub');

function convertMetric(
  metric: JsonObject,
  converters: Readonly<Record<string, SourceConverter>>,
  direction: keyof SourceConverter,
): JsonObject {
  const converted: JsonObject = { type: textIn(metric, 'type') };
  for (const [name, converter] of Object.entries(converters)) {
    const source = objectIn(metric, name);
    if (source) converted[name] = converter[direction](source);
  }
  return converted;
}

/** Drops members that are undefined. */
export function omitUndefined(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const present: JsonObject = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) present[name] = value;
  return present;
}

function metricName(source: JsonObject): JsonObject {
  return { metricName: textIn(objectIn(source, 'metric'), 'name') };
}

function metricSelector(source: JsonObject, field: string): JsonObject {
  return omitUndefined({ [field]: objectIn(objectIn(source, 'metric'), 'selector') });
}

function identifier(source: JsonObject, selector: string): JsonObject {
  return { name: textIn(source, 'metricName'), ...omitUndefined({ selector: objectIn(source, selector) }) };
}

/** targetValue is required in v1: with an averageValue, 0 means unset. */
function objectTarget(source: JsonObject): JsonObject {
  const { averageValue } = source;
  const targetValue = textIn(source, 'targetValue');
  if (averageValue === undefined) return { type: 'Value', value: targetValue };
  const value = parseQuantity(targetValue).mantissa === 0n ? undefined : targetValue;
  return { type: 'AverageValue', ...omitUndefined({ value, averageValue }) };
}

function resourceTarget(source: JsonObject): JsonObject {
  const { averageUtilization, averageValue } = objectIn(source, 'target') ?? {};
  return omitUndefined({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });
}

function utilizationTarget({ targetAverageUtilization, targetAverageValue }: JsonObject): JsonObject {
  return {
    type: targetAverageUtilization === undefined ? 'AverageValue' : 'Utilization',
    ...omitUndefined({ averageValue: targetAverageValue, averageUtilization: targetAverageUtilization }),
  };
}

function resourceReading(reading: JsonObject): JsonObject {
  const { averageUtilization, averageValue } = objectIn(reading, 'current') ?? {};
  return { ...omitUndefined({ currentAverageUtilization: averageUtilization }), currentAverageValue: averageValue ?? '0' };
}

function utilizationReading({ currentAverageUtilization, currentAverageValue }: JsonObject): JsonObject {
  return omitUndefined({ averageValue: currentAverageValue, averageUtilization: currentAverageUtilization });
}

/** The behavior annotation is encoded with Go field names. */
export function behaviorToV1(behavior: JsonObject): JsonObject {
  return { ScaleUp: rulesToV1(objectIn(behavior, 'scaleUp')), ScaleDown: rulesToV1(objectIn(behavior, 'scaleDown')) };
}

function rulesToV1(rules: JsonObject | undefined): JsonValue {
  if (!rules) return null;
  const policies = objectsIn(rules, 'policies').map(({ type, value, periodSeconds }) => ({
    Type: type ?? '',
    Value: value ?? 0,
    PeriodSeconds: periodSeconds ?? 0,
  }));
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: policies.length === 0 ? null : policies,
    Tolerance: rules.tolerance ?? null,
  };
}

/** Undefined if it has no rules. */
export function behaviorToHub(behavior: JsonObject): JsonObject | undefined {
  const scaleUp = rulesToHub(objectIn(behavior, 'ScaleUp'));
  const scaleDown = rulesToHub(objectIn(behavior, 'ScaleDown'));
  return scaleUp || scaleDown ? omitUndefined({ scaleUp, scaleDown }) : undefined;
}

function rulesToHub(rules: JsonObject | undefined): JsonObject | undefined {
  if (!rules) return undefined;
  const policies = objectsIn(rules, 'Policies').map(({ Type, Value, PeriodSeconds }) => ({
    type: Type ?? '',
    value: Value ?? 0,
    periodSeconds: PeriodSeconds ?? 0,
  }));
  return omitUndefined({
    stabilizationWindowSeconds: rules.StabilizationWindowSeconds,
    selectPolicy: rules.SelectPolicy,
    // An empty list differs from an absent one: validation rejects it.
    policies,
    tolerance: rules.Tolerance,
  });
}

const fieldNames = new Map(
  [
    'ScaleUp',
    'ScaleDown',
    'StabilizationWindowSeconds',
    'SelectPolicy',
    'Policies',
    'Tolerance',
    'Type',
    'Value',
    'PeriodSeconds',
  ].map((name) => [name.toLowerCase(), name]),
);

/** Go matches field names case-insensitively: hand-written annotations have the names of v2. */
export function withGoFieldNames(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withGoFieldNames);
  if (typeof value !== 'object' || value === null) return value;
  const renamed: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const name = fieldNames.get(key.toLowerCase());
    if (name !== undefined) renamed[name] = withGoFieldNames(member);
  }
  return renamed;
}
