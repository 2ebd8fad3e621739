import { builtinTypes } from '@tsukube/api';
import { encodeProtobuf, type JsonObject, stringifyJson, stringifyYaml, wrapProtobuf } from '@tsukube/machinery';
import type { Random } from '../support/random.ts';
import { typeOf } from './resources.ts';

export interface Body {
  readonly type: string;
  readonly body: Buffer;
}

/** Encodes an object as JSON, YAML or protobuf. */
export function encodeBody(object: JsonObject, random: Random): Body {
  const choice = random(10);
  if (choice < 5) return { type: 'application/json', body: Buffer.from(stringifyJson(object)) };
  if (choice < 7) return { type: 'application/yaml', body: Buffer.from(stringifyYaml(object)) };
  return protobuf(object) ?? { type: 'application/json', body: Buffer.from(stringifyJson(object)) };
}

/** Undefined if the object does not fit its type, or has none. */
function protobuf(object: JsonObject): Body | undefined {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const type = typeOf(apiVersion, kind);
  if (type === undefined) return undefined;
  try {
    const raw = encodeProtobuf(object, builtinTypes.get(type), builtinTypes);
    return { type: 'application/vnd.kubernetes.protobuf', body: wrapProtobuf(apiVersion, kind, raw) };
  } catch {
    return undefined;
  }
}
