import { goTypeText } from '../text/go-value.ts';
import type { JsonValue } from './type.ts';

/** Why a value cannot be held by a Go type, in the words of the converter that restores objects from values instead of text. */
export function cannotRestore(value: JsonValue, goType: string): string {
  if (goType.startsWith('map[')) return `cannot restore map from ${goKind(value)}`;
  if (goType.startsWith('[]')) return `cannot restore slice from ${goKind(value)}`;
  if (goType.includes('.')) return `cannot restore struct from: ${goKind(value)}`;
  return isConvertible(goTypeText(value), goType)
    ? `cannot convert ${goTypeText(value)} to ${goType}`
    : `unrecognized type: ${goType}`;
}

/** To Go a number can be made a string, the character with that code; the converter refuses that, but in other words. */
function isConvertible(from: string, to: string): boolean {
  if (to === 'string') return from === 'int64';
  return to !== 'bool' && (from === 'int64' || from === 'float64');
}

function goKind(value: JsonValue): string {
  const type = goTypeText(value);
  if (type.startsWith('map[')) return 'map';
  return type.startsWith('[]') ? 'slice' : type;
}
