import { isObject, type JsonObject, type JsonValue } from '@tsukube/machinery';
import { internalFields } from './internal-types.ts';

/** Part of a pod as Kubernetes' own code has it, and shows it when something is wrong with it. */
export function internalForm(value: JsonObject, type: string): JsonObject {
  const keys = new Map(Object.keys(value).map((key) => [key.toLowerCase(), key]));
  const form: JsonObject = {};
  for (const { name, key, type: fieldType } of internalFields(type)) {
    if (name === '@metadata') Object.assign(form, value.metadata);
    else if (name.startsWith('@')) Object.assign(form, internalForm(value, name.slice(1)));
    else form[name] = formOf(value[keys.get(key) ?? ''], fieldType);
  }
  return form;
}

const zeros: Readonly<Record<string, JsonValue>> = { s: '', n: 0, b: false, q: '0', i: 0, map: null, raw: null };

function formOf(value: JsonValue | undefined, type: string): JsonValue {
  if (type.startsWith('*')) return value === undefined ? null : formOf(value, type.slice(1));
  if (type.startsWith('[]'))
    return Array.isArray(value) && value.length > 0 ? value.map((item) => formOf(item, type.slice(2))) : null;
  const zero = zeros[type];
  if (zero !== undefined) return value ?? zero;
  return internalForm(isObject(value) ? value : {}, type);
}
