import { formatGoDuration } from '../../text/go-duration.ts';
import { doubleText } from './convert.ts';
import { formatTimestamp } from './time-text.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from './value.ts';

/** A value as messages print it. */
export function formatPlain(value: CelValue): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof CelDouble) return doubleText(value.value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTypeValue) return value.type.name;
  if (value instanceof CelError) return value.message;
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatGoDuration(value.nanoseconds);
  if (value instanceof CelOptional)
    return value.value === undefined ? 'optional.none()' : `optional(${formatPlain(value.value)})`;
  if (value instanceof CelList) return `[${Array.from({ length: value.size }, (_, i) => formatPlain(value.at(i))).join(', ')}]`;
  if (value instanceof CelMap) return mapText(value);
  return value instanceof Uint8Array ? `[${value.join(' ')}]` : value.type.name;
}

function mapText(map: CelMap): string {
  const entries = map.keys().map((key) => `${formatPlain(key)}: ${formatPlain(map.find(key) ?? null)}`);
  return `{${entries.join(', ')}}`;
}
