import { memoize } from '../../cache/bounded-cache.ts';
import { deepEqual, type JsonObject, type JsonValue } from '../../json/value.ts';
import { goRegExp } from '../../text/go-regexp.ts';
import type { SchemaNode, ValueRules } from '../schema/schema-node.ts';
import type { ValidationBudget } from './budget.ts';
import { effectiveFormat, stringFormat } from './formats.ts';
import { hasEqualItems } from './list-uniqueness.ts';
import { isInt64, isJsonInteger, numberCheck } from './number.ts';

/** Whether a value is valid, without allocations. `explain` finds the errors of an invalid one. */
export type ValueCheck = (value: JsonValue, budget: ValidationBudget) => boolean;

/** This many required keys cost one visit. */
const manyRequired = 8;
const pass: ValueCheck = () => true;

/** Compiled on first use: a large schema has many parts that no object uses. */
export const checkOf = memoize(compile);

function lazy(node: SchemaNode): ValueCheck {
  let check: ValueCheck | undefined;
  return (value, budget) => {
    check ??= checkOf(node);
    return check(value, budget);
  };
}

/** The allowed types; empty for any. */
export function allowedTypes(node: SchemaNode): readonly string[] {
  if (node.intOrString) return ['integer', 'string'];
  return node.type === '' ? [] : [node.type];
}

/** The format, or '' if it does not apply to the types. */
export function formatOf(node: SchemaNode, types: readonly string[]): string {
  const format = node.values?.format ?? '';
  return format === '' ? '' : effectiveFormat(format, onlyOf(types));
}

/** The only type, or '' if there are several or none. */
export function onlyOf(types: readonly string[]): string {
  const [type = '', ...others] = types;
  return others.length === 0 ? type : '';
}

function compile(node: SchemaNode): ValueCheck {
  const types = allowedTypes(node);
  const format = formatOf(node, types);
  const anyType = types.length === 0;
  // A format without a type applies to strings, and rejects everything but strings and arrays.
  const anything = anyType && format === '';
  const allowsNull = (node.nullable || anyType || types.includes('null')) && (node.values?.enum.length ?? 0) === 0;
  const text = anyType || types.includes('string') ? textCheck(node.values, format) : undefined;
  const number = anything || types.includes('integer') || types.includes('number') ? numbersOf(node, types, format) : undefined;
  const boolean = anything || types.includes('boolean') ? pass : undefined;
  const list = anyType || types.includes('array') || isTextFormat(types, format) ? listCheck(node) : undefined;
  const object = anything || types.includes('object') ? objectCheck(node) : undefined;
  const common = commonCheck(node.values);
  return (value, budget) => {
    budget.visit();
    let check: ((value: never, budget: ValidationBudget) => boolean) | undefined;
    if (typeof value === 'string') check = text;
    else if (typeof value === 'object') {
      if (value === null) return allowsNull;
      check = Array.isArray(value) ? list : object;
    } else if (typeof value === 'boolean') check = boolean;
    else check = number;
    return check?.(value as never, budget) === true && (common === undefined || common(value, budget));
  };
}

/** Kubernetes accepts arrays where strings with a format are expected. */
function isTextFormat(types: readonly string[], format: string): boolean {
  return format !== '' && !types.includes('integer') && !types.includes('number');
}

function numbersOf(node: SchemaNode, types: readonly string[], format: string): ValueCheck {
  const inRange = numberCheck(node.values, onlyOf(types), format);
  const isOfType = wholeNumberCheck(types);
  return (value) => isOfType(value as number | bigint) && inRange(value as number | bigint);
}

function wholeNumberCheck(types: readonly string[]): (value: number | bigint) => boolean {
  if (!types.includes('integer')) return () => true;
  if (types.length === 1) return (value) => typeof value === 'bigint' || Number.isSafeInteger(value);
  return (value) => typeof value === 'bigint' || isJsonInteger(value);
}

function textCheck(values: ValueRules | undefined, format: string): ValueCheck {
  if (values === undefined) return pass;
  const { maxLength = Number.POSITIVE_INFINITY, minLength = 0, pattern } = values;
  const hasFormat = format === '' ? undefined : stringFormat(format);
  const bounded = maxLength !== Number.POSITIVE_INFINITY || minLength > 0;
  if (!bounded && pattern === '' && hasFormat === undefined) return pass;
  const matches = pattern === '' ? undefined : patternCheck(pattern);
  return (value, budget) => {
    const text = value as string;
    budget.read(text);
    if (bounded && !isWithin(text, minLength, maxLength)) return false;
    return (matches === undefined || matches(text)) && (hasFormat === undefined || hasFormat(text));
  };
}

/** An invalid pattern matches nothing. */
function patternCheck(pattern: string): (text: string) => boolean {
  try {
    const compiled = goRegExp(pattern);
    return (text) => compiled.matches(text);
  } catch {
    return () => false;
  }
}

function isWithin(text: string, minimum: number, maximum: number): boolean {
  // A code point has one or two UTF-16 units.
  if (text.length <= maximum && text.length >= minimum * 2) return true;
  const length = characterCount(text);
  return length <= maximum && length >= minimum;
}

function listCheck(node: SchemaNode): (list: readonly JsonValue[], budget: ValidationBudget) => boolean {
  const { maxItems = Number.POSITIVE_INFINITY, minItems = 0, uniqueItems = false } = node.values ?? {};
  const item = node.items === undefined ? undefined : lazy(node.items);
  return (list, budget) => {
    if (list.length > maxItems || list.length < minItems) return false;
    if (item !== undefined) for (let i = 0; i < list.length; i++) if (!item(list[i] as JsonValue, budget)) return false;
    return !uniqueItems || !hasEqualItems(list);
  };
}

function objectCheck(node: SchemaNode): (object: JsonObject, budget: ValidationBudget) => boolean {
  const { required = [], minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = node.values ?? {};
  const named = new Map([...(node.properties ?? [])].map(([key, property]) => [key, lazy(property)]));
  const { additional } = node;
  const other = typeof additional === 'object' ? lazy(additional) : additional === false ? () => false : undefined;
  return (object, budget) => {
    if (required.length > manyRequired) budget.visit(required.length / manyRequired);
    let count = 0;
    for (const key in object) {
      count++;
      const check = named.get(key) ?? other;
      if (check !== undefined && !check(object[key] as JsonValue, budget)) return false;
    }
    for (const key of required) if (!Object.hasOwn(object, key)) return false;
    return count >= minProperties && count <= maxProperties;
  };
}

/** The validations for values of every type. */
function commonCheck(values: ValueRules | undefined): ValueCheck | undefined {
  if (values === undefined) return undefined;
  const checks = [...values.allOf.map(lazy), ...anyOfCheck(values), ...oneOfCheck(values), ...notCheck(values)];
  if (values.enum.length > 0) checks.push(enumCheck(values.enum));
  if (checks.length < 2) return checks[0];
  return (value, budget) => {
    for (const check of checks) if (!check(value, budget)) return false;
    return true;
  };
}

function anyOfCheck({ anyOf }: ValueRules): ValueCheck[] {
  const choices = anyOf.map(lazy);
  return choices.length === 0 ? [] : [(value, budget) => choices.some((choice) => choice(value, budget))];
}

function oneOfCheck({ oneOf }: ValueRules): ValueCheck[] {
  if (oneOf.length === 0) return [];
  const choices = oneOf.map(lazy);
  return [
    (value, budget) => {
      let valid = 0;
      for (const choice of choices) if (choice(value, budget)) valid++;
      return valid === 1;
    },
  ];
}

function notCheck({ not }: ValueRules): ValueCheck[] {
  if (not === undefined) return [];
  const refused = lazy(not);
  return [(value, budget) => !refused(value, budget)];
}

/** Whether a value is in the enum. Null never is. */
export function enumCheck(values: readonly JsonValue[]): (value: JsonValue, budget: ValidationBudget) => boolean {
  if (values.every((each) => typeof each === 'string' || typeof each === 'boolean')) {
    const scalars = new Set<JsonValue>(values);
    return (value) => scalars.has(value);
  }
  return (value, budget) => {
    budget.visit(values.length);
    return value !== null && values.some((each) => isSame(value, each));
  };
}

/** A number is truncated before it is compared with an integer, like in Go. */
function isSame(value: JsonValue, listed: JsonValue): boolean {
  if (typeof value === 'number' && typeof listed === 'number' && isInt64(listed)) return Math.trunc(value) === listed;
  return deepEqual(value, listed);
}

/** The number of code points. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--;
      i++;
    }
  }
  return count;
}
