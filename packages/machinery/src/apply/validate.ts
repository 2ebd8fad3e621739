import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { describeElement, fieldElement } from '../managed-fields/path-element.ts';
import { goTypeText, goValueText } from '../text/go-value.ts';
import { itemElement, UnidentifiedItem } from './list-items.ts';
import type { ListMergeSchema, MergeSchema, ObjectMergeSchema, ScalarMergeSchema } from './merge-schema.ts';

const maxErrors = 100;

/** Why an applied object does not fit its schema, with the message of structured-merge-diff; undefined if it fits. */
export function schemaMismatch(object: JsonObject, schema: ObjectMergeSchema): string | undefined {
  const errors: string[] = [];
  checkMembers(object, schema, '', errors);
  return errors.length < 2 ? errors[0] : `errors:\n${errors.map((error) => `  ${error}`).join('\n')}`;
}

function check(value: JsonValue, schema: MergeSchema, path: string, errors: string[]): void {
  if (errors.length >= maxErrors || value === null || schema.is === 'any' || schema.is === 'deduced') return;
  if (schema.is === 'scalar') checkScalar(value, schema, path, errors);
  else if (schema.is === 'list') {
    if (Array.isArray(value)) checkItems(value, schema, path, errors);
    else errors.push(`${path}: expected list, got &{${goValueText(value)}}`);
  } else if (isObject(value)) checkMembers(value, schema, path, errors);
  else errors.push(`${path}: expected map, got &{${goValueText(value)}}`);
}

function checkScalar(value: JsonValue, { expects }: ScalarMergeSchema, path: string, errors: string[]): void {
  const type = typeof value;
  const isNumber = type === 'number' || type === 'bigint';
  if (expects === 'numeric' && !isNumber) errors.push(`${path}: expected numeric (int or float), got ${goTypeText(value)}`);
  else if (expects === 'string' && type !== 'string')
    errors.push(`${path}: expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
  else if (expects === 'boolean' && type !== 'boolean') errors.push(`${path}: expected boolean, got &{${goValueText(value)}}`);
  else if (expects === 'scalar' && type === 'object') errors.push(`${path}: expected any scalar, got &{${goValueText(value)}}`);
}

function goSyntax(value: JsonValue): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return typeof value === 'string' ? JSON.stringify(value) : goValueText(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key] as JsonValue)}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}

/**
 * Kubernetes visits members in random order and stops at the first undeclared field. Here one undeclared field is reported,
 * after the errors of the declared ones.
 */
function checkMembers(object: JsonObject, schema: ObjectMergeSchema, path: string, errors: string[]): void {
  let undeclared: string | undefined;
  for (const key of Object.keys(object)) {
    const below = `${path}${describeElement(fieldElement(key))}`;
    const member = schema.fields.get(key) ?? schema.of;
    if (member === undefined) undeclared ??= below;
    else check(object[key] as JsonValue, member, below, errors);
  }
  if (undeclared !== undefined) errors.push(`${undeclared}: field not declared in schema`);
}

function checkItems(list: readonly JsonValue[], schema: ListMergeSchema, path: string, errors: string[]): void {
  const seen = new Set<string>();
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as JsonValue;
    let element = `i:${i}`;
    if (schema.kind !== 'atomic') {
      const identified = identify(item, schema, i, path, errors);
      if (identified === undefined) return;
      element = identified;
      if (seen.has(element)) errors.push(`${path}: duplicate entries for key ${describeElement(element)}`);
      seen.add(element);
    }
    check(item, schema.of, `${path}${describeElement(element)}`, errors);
  }
}

function identify(item: JsonValue, schema: ListMergeSchema, place: number, path: string, errors: string[]): string | undefined {
  try {
    return itemElement(item, schema);
  } catch (error) {
    if (!(error instanceof UnidentifiedItem)) throw error;
    errors.push(`${path}: element ${place}: ${error.message}`);
    return undefined;
  }
}
