import { builtinTypes as types } from '@tsukube/api';
import { checkObject, type FieldType, type JsonObject, type JsonValue, type Scalar } from '@tsukube/machinery';

const schema = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

/** A deterministic generator of integers below a limit. */
export function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

export type Random = ReturnType<typeof randomNumbers>;

/** A random object of a type: random fields with random valid values. */
export function randomObject(name: string, random: Random, depth = 0): JsonObject {
  const object: JsonObject = {};
  for (const { name: field, number, type } of types.get(name).fields.values()) {
    const wanted = random(10) < 8 - depth;
    if (wanted && number !== undefined) object[field] = randomValue(type, random, depth + 1);
  }
  return object;
}

function randomValue(type: FieldType, random: Random, depth: number): JsonValue {
  const some = <T>(of: () => T) => Array.from({ length: 1 + random(2) }, of);
  switch (type.is) {
    case 'list':
      return some(() => randomValue(type.of, random, depth));
    case 'map':
      return Object.fromEntries(some(() => [pick(keys, random), randomValue(type.of, random, depth)]));
    case 'object':
      return randomObject(type.ref, random, depth);
    case 'any':
      return randomAny('ref' in type ? String(type.ref) : '', random, depth);
    default:
      return pick(samples[type.is], random);
  }
}

/** A value of a type without fields: raw JSON, a JSON schema, or a schema's alternatives (a boolean or strings). */
function randomAny(ref: string, random: Random, depth: number): JsonValue {
  if (!ref.includes('JSONSchemaPropsOr')) return pick(rawJson, random);
  const orSchema = checkObject(randomObject(schema, random, depth), types.get(schema), types).value;
  if (random(2) > 0) return orSchema;
  if (ref.endsWith('Bool')) return random(2) > 0;
  return ref.endsWith('StringArray') ? ['a', ''] : [orSchema, {}];
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[random(from.length)] as T;
}

const keys = ['z', 'a', '\u{1f600}', '\ue000'];
const rawJson: readonly JsonValue[] = [1, 'a', [true, null], { b: { c: [] } }];
const samples: Readonly<Record<Scalar, readonly JsonValue[]>> = {
  string: ['', 'a', 'b\u0000', '\u00e9\u{1f600}', 'a text that is longer than the ones that are treated as short'],
  boolean: [true, false],
  int32: [0, 1, -1, 300, 2147483647, -2147483648],
  int64: [0, 1, -1, 2 ** 40, -(2 ** 40), 9007199254740993n, -9223372036854775808n],
  double: [0, 1.5, -1e300],
  bytes: ['AA==', '/+8='],
  time: ['2024-02-29T23:59:59Z', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  microTime: ['2024-02-29T23:59:59.000001Z', '1969-12-31T23:59:59.999999Z'],
  duration: [],
  quantity: ['0', '100m', '1Gi', '-3'],
  intOrString: [0, -1, 80, '', '50%'],
};
