import { compareText } from '../values/compare.ts';
import { formatOpaque } from '../values/plain-text.ts';
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
} from '../values/value.ts';

/** A value as one text that tells types apart: what the expectations of these tests are written in. */
export function canon(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof CelList) return `[${Array.from({ length: value.size }, (_, i) => canon(value.at(i))).join(',')}]`;
  if (value instanceof CelMap) return mapText(value);
  if (value instanceof CelOptional) return value.value === undefined ? 'none' : `some(${canon(value.value)})`;
  return scalarText(value);
}

function mapText(map: CelMap): string {
  const entries = map.keys().map((key) => `${canon(key)}:${canon(map.find(key) ?? null)}`);
  return `{${entries.toSorted(compareText).join(',')}}`;
}

function scalarText(value: CelValue): string {
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDouble) return doubleText(value.value);
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`;
  if (value instanceof CelTimestamp) return `ts${value.seconds}.${String(value.nanoseconds).padStart(9, '0')}`;
  if (value instanceof CelDuration) return `dur${value.nanoseconds}`;
  if (value instanceof CelTypeValue) return `type:${value.type.name}`;
  if (value instanceof CelError) return `err(${value.message})`;
  return value instanceof CelOpaque ? formatOpaque(value) : '';
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'dNaN';
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return `d${bytes.toString('hex')}`;
}
