/** Members of metadata by name, as Go's getters give them: the empty value where a member is absent. */
import type { JsonObject, JsonValue } from '../schema/type.ts';

const noMap: JsonObject = Object.freeze({});
const noList: readonly JsonValue[] = Object.freeze([]);

export function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

export function numberOf(object: JsonObject, name: string): number | bigint {
  const value = object[name];
  return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
}

export function mapOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : noMap;
}

export function listOf(object: JsonObject, name: string): readonly JsonValue[] {
  const value = object[name];
  return Array.isArray(value) ? value : noList;
}
