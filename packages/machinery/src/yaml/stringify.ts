import type { JsonValue } from '../schema/type.ts';

export function stringifyYaml(_value: JsonValue): string {
  throw new Error('not written yet');
}
