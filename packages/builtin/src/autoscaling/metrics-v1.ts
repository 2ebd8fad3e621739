import { type JsonObject, type JsonValue, objectIn, parseQuantity, textIn } from '@tsukube/machinery';

/** How one kind of source, or one kind of reading, is worded in v2 and in v1. */
interface Wording {
  toV1(source: JsonObject): JsonObject;
  toHub(source: JsonObject): JsonObject;
}

const sources: Readonly<Record<string, Wording>> = {
  object: {
    toV1: ({ describedObject, target, metric }) => ({
      target: describedObject as JsonObject,
      ...named(metric),
      targetValue: (target as JsonObject).value ?? '0',
      ...selecting('selector', metric),
      ...given({ averageValue: (target as JsonObject).averageValue }),
    }),
    toHub: (source) => ({
      describedObject: source.target as JsonObject,
      target: objectTarget(source),
      metric: identifier(source, 'selector'),
    }),
  },
  pods: {
    toV1: ({ metric, target }) => ({
      ...named(metric),
      targetAverageValue: (target as JsonObject).averageValue ?? '0',
      ...selecting('selector', metric),
    }),
    toHub: (source) => ({
      metric: identifier(source, 'selector'),
      target: { type: 'AverageValue', averageValue: source.targetAverageValue as string },
    }),
  },
  resource: {
    toV1: ({ name, target }) => ({ name: name as string, ...resourceTarget(target) }),
    toHub: (source) => ({ name: source.name as string, target: utilizationTarget(source) }),
  },
  containerResource: {
    toV1: ({ name, target, container }) => ({
      name: name as string,
      ...resourceTarget(target),
      container: container as string,
    }),
    toHub: (source) => ({
      name: source.name as string,
      target: utilizationTarget(source),
      container: source.container as string,
    }),
  },
  external: {
    toV1: ({ metric, target }) => ({
      ...named(metric),
      ...selecting('metricSelector', metric),
      ...given({ targetValue: (target as JsonObject).value, targetAverageValue: (target as JsonObject).averageValue }),
    }),
    toHub: (source) => ({
      metric: identifier(source, 'metricSelector'),
      target: {
        type: source.targetValue === undefined ? 'AverageValue' : 'Value',
        ...given({ value: source.targetValue, averageValue: source.targetAverageValue }),
      },
    }),
  },
};

const readings: Readonly<Record<string, Wording>> = {
  object: {
    toV1: ({ metric, current, describedObject }) => ({
      target: describedObject as JsonObject,
      ...named(metric),
      currentValue: (current as JsonObject).value ?? '0',
      ...selecting('selector', metric),
      ...given({ averageValue: (current as JsonObject).averageValue }),
    }),
    toHub: (reading) => ({
      metric: identifier(reading, 'selector'),
      current: given({ value: reading.currentValue, averageValue: reading.averageValue }),
      describedObject: reading.target as JsonObject,
    }),
  },
  pods: {
    toV1: ({ metric, current }) => ({
      ...named(metric),
      currentAverageValue: (current as JsonObject).averageValue ?? '0',
      ...selecting('selector', metric),
    }),
    toHub: (reading) => ({
      metric: identifier(reading, 'selector'),
      current: { averageValue: reading.currentAverageValue as string },
    }),
  },
  resource: {
    toV1: ({ name, current }) => ({ name: name as string, ...resourceReading(current) }),
    toHub: (reading) => ({ name: reading.name as string, current: utilizationReading(reading) }),
  },
  containerResource: {
    toV1: ({ name, current, container }) => ({
      name: name as string,
      ...resourceReading(current),
      container: container as string,
    }),
    toHub: (reading) => ({
      name: reading.name as string,
      current: utilizationReading(reading),
      container: reading.container as string,
    }),
  },
  external: {
    toV1: ({ metric, current }) => ({
      ...named(metric),
      ...selecting('metricSelector', metric),
      currentValue: (current as JsonObject).value ?? '0',
      ...given({ currentAverageValue: (current as JsonObject).averageValue }),
    }),
    toHub: (reading) => ({
      metric: identifier(reading, 'metricSelector'),
      current: given({ value: reading.currentValue, averageValue: reading.currentAverageValue }),
    }),
  },
};

export const metricSpecToV1 = (metric: JsonObject): JsonObject => reword(metric, sources, 'toV1');
export const metricSpecToHub = (metric: JsonObject): JsonObject => reword(metric, sources, 'toHub');
export const metricStatusToV1 = (metric: JsonObject): JsonObject => reword(metric, readings, 'toV1');
export const metricStatusToHub = (metric: JsonObject): JsonObject => reword(metric, readings, 'toHub');

function reword(metric: JsonObject, wordings: Readonly<Record<string, Wording>>, direction: keyof Wording): JsonObject {
  const reworded: JsonObject = { type: textIn(metric, 'type') };
  for (const [name, wording] of Object.entries(wordings)) {
    const source = objectIn(metric, name);
    if (source) reworded[name] = wording[direction](source);
  }
  return reworded;
}

/** Without the members that are undefined. */
export function given(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const present: JsonObject = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) present[name] = value;
  return present;
}

function named(metric: JsonValue | undefined): JsonObject {
  return { metricName: textIn(metric as JsonObject, 'name') };
}

function selecting(field: string, metric: JsonValue | undefined): JsonObject {
  return given({ [field]: objectIn(metric as JsonObject, 'selector') });
}

function identifier(source: JsonObject, selector: string): JsonObject {
  return { name: textIn(source, 'metricName'), ...given({ selector: objectIn(source, selector) }) };
}

/** v1 always has a target value, so a zero beside an average says nothing. */
function objectTarget({ targetValue, averageValue }: JsonObject): JsonObject {
  if (averageValue === undefined) return { type: 'Value', value: targetValue as string };
  const value = parseQuantity(targetValue as string).mantissa === 0n ? undefined : targetValue;
  return { type: 'AverageValue', ...given({ value, averageValue }) };
}

function resourceTarget(target: JsonValue | undefined): JsonObject {
  const { averageUtilization, averageValue } = target as JsonObject;
  return given({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });
}

function utilizationTarget({ targetAverageUtilization, targetAverageValue }: JsonObject): JsonObject {
  return {
    type: targetAverageUtilization === undefined ? 'AverageValue' : 'Utilization',
    ...given({ averageValue: targetAverageValue, averageUtilization: targetAverageUtilization }),
  };
}

function resourceReading(current: JsonValue | undefined): JsonObject {
  const { averageUtilization, averageValue } = current as JsonObject;
  return { ...given({ currentAverageUtilization: averageUtilization }), currentAverageValue: averageValue ?? '0' };
}

function utilizationReading({ currentAverageUtilization, currentAverageValue }: JsonObject): JsonObject {
  return given({ averageValue: currentAverageValue, averageUtilization: currentAverageUtilization });
}
