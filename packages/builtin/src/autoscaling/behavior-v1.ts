import { type JsonObject, type JsonValue, objectIn, objectsIn } from '@tsukube/machinery';
import { given } from './metrics-v1.ts';

/** The annotation that keeps the behavior has the names of Go's fields. */
export function behaviorToV1(behavior: JsonObject): JsonObject {
  return { ScaleUp: rulesToV1(objectIn(behavior, 'scaleUp')), ScaleDown: rulesToV1(objectIn(behavior, 'scaleDown')) };
}

function rulesToV1(rules: JsonObject | undefined): JsonValue {
  if (!rules) return null;
  const policies = objectsIn(rules, 'policies').map(({ type, value, periodSeconds }) => ({
    Type: type as string,
    Value: value as number,
    PeriodSeconds: periodSeconds as number,
  }));
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: policies.length === 0 ? null : policies,
    Tolerance: rules.tolerance ?? null,
  };
}

/** Undefined if it says nothing. */
export function behaviorToHub(behavior: JsonObject): JsonObject | undefined {
  const scaleUp = rulesToHub(objectIn(behavior, 'ScaleUp'));
  const scaleDown = rulesToHub(objectIn(behavior, 'ScaleDown'));
  return scaleUp || scaleDown ? given({ scaleUp, scaleDown }) : undefined;
}

function rulesToHub(rules: JsonObject | undefined): JsonObject | undefined {
  if (!rules) return undefined;
  const policies = objectsIn(rules, 'Policies').map(({ Type, Value, PeriodSeconds }) => ({
    type: Type as string,
    value: Value as number,
    periodSeconds: PeriodSeconds as number,
  }));
  return given({
    stabilizationWindowSeconds: rules.StabilizationWindowSeconds,
    selectPolicy: rules.SelectPolicy,
    // None at all is not the same as none mentioned: it is refused.
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

/** People write the annotation by hand with the names of v2, and Go does not mind the case of letters. */
export function withGoNames(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withGoNames);
  if (typeof value !== 'object' || value === null) return value;
  const renamed: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const name = fieldNames.get(key.toLowerCase());
    if (name !== undefined) renamed[name] = withGoNames(member);
  }
  return renamed;
}
