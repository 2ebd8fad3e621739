import { jsonKind } from '../json/cannot-unmarshal.ts';
import { isObject } from '../json/object.ts';
import type { JsonValue } from '../schema/type.ts';

const typeMeta =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Why kind and apiVersion cannot be read from a value; undefined if they can, or are left out. */
export function typeMetaMisfit(value: JsonValue): string | undefined {
  const cannot = (found: JsonValue, target: string) =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKind(found)} into ${target}`;
  if (!isObject(value)) return cannot(value, typeMeta);
  for (const field of ['apiVersion', 'kind'] as const) {
    const found = value[field] ?? '';
    if (typeof found !== 'string') return cannot(found, `Go struct field .${field} of type string`);
  }
  return undefined;
}
