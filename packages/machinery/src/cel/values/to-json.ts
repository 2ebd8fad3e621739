import { type JsonObject, type JsonValue, setKey } from '../../json/value.ts';
import { formatCelDuration, formatTimestamp } from './time.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from './value.ts';

/** Converts a value to JSON; types without a JSON form become strings. */
export function toJson(value: CelValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof CelList) return Array.from({ length: value.size }, (_, i) => toJson(value.at(i)));
  if (value instanceof CelMap) return mapToJson(value);
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelUint) return Number(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatCelDuration(value);
  if (value instanceof CelOptional) return value.value === undefined ? null : toJson(value.value);
  if (value instanceof CelTypeValue) return value.type.name;
  return value instanceof CelError || value instanceof CelOpaque ? null : value;
}

function mapToJson(map: CelMap): JsonValue {
  if ('raw' in map) return map.raw as JsonObject;
  const object: JsonObject = {};
  for (const key of map.keys()) setKey(object, String(toJson(key)), toJson(map.find(key) ?? null));
  return object;
}
