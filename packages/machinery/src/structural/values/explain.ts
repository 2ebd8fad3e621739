import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { goQuote } from '../../text/go-quote.ts';
import { GoRegExpError, goRegExp } from '../../text/go-regexp.ts';
import { goValueText } from '../../text/go-value.ts';
import type { SchemaNode, ValueRules } from '../schema/schema-node.ts';
import type { ValidationBudget } from './budget.ts';
import { allowedTypes, characterCount, enumCheck, formatOf, onlyOf } from './check.ts';
import type { Correlation } from './correlation.ts';
import { explainCombinations } from './explain-combinations.ts';
import { Findings } from './finding.ts';
import { stringFormat } from './formats.ts';
import { hasEqualItems } from './list-uniqueness.ts';
import { explainNumber, isInt64, isJsonInteger } from './number.ts';

/** Explaining takes about this many times as long as checking. */
const visitsToExplain = 20;

/** All errors of a value, in the order and wording of Kubernetes' validator. With a correlation unchanged values are valid. */
export function explain(
  node: SchemaNode,
  value: JsonValue,
  name: string,
  budget: ValidationBudget,
  correlation?: Correlation,
): Findings {
  budget.visit(visitsToExplain);
  const found = explainValue(node, value, name, budget, correlation);
  if (!found.valid && correlation?.unchanged) found.list.length = 0;
  return found;
}

function explainValue(
  node: SchemaNode,
  value: JsonValue,
  name: string,
  budget: ValidationBudget,
  correlation: Correlation | undefined,
): Findings {
  const found = new Findings();
  const types = allowedTypes(node);
  const format = formatOf(node, types);
  if (value === null) {
    explainNull(node, types, name, found);
    explainEnum(node, value, name, budget, found);
    return found;
  }
  if (types.length > 0 || format !== '') {
    explainType(types, format, value, name, found);
    found.matches++;
  }
  found.merge(explainCombinations(node.values, value, name, budget));
  found.matches++;
  if (typeof value === 'string') explainText(value, node.values, format, name, found);
  else if (typeof value === 'number' || typeof value === 'bigint') {
    found.merge(explainNumber(value, node.values, onlyOf(types), format, name));
    found.matches++;
  } else if (Array.isArray(value)) explainList(node, value, name, budget, correlation, found);
  explainEnum(node, value, name, budget, found);
  found.matches++;
  if (isObject(value)) explainObject(node, value, name, budget, correlation, found);
  found.matches++;
  return found;
}

function explainNull(node: SchemaNode, types: readonly string[], name: string, found: Findings): void {
  if (types.length > 0 && !types.includes('null') && !node.nullable) addType(types.join(','), 'null', name, found);
  else found.matches++;
}

function addType(expected: string, actual: string, name: string, found: Findings): void {
  found.add({ message: `${name} in body must be of type ${expected}: ${goQuote(actual)}`, name, value: actual, is: 'type' });
}

/** The JSON schema type and format of a value. */
function kindOf(value: JsonValue): readonly [type: string, format: string] {
  if (typeof value === 'string') return ['string', ''];
  if (typeof value === 'boolean') return ['boolean', ''];
  if (typeof value === 'object') return [Array.isArray(value) ? 'array' : 'object', ''];
  return isInt64(value) ? ['integer', 'int64'] : ['number', 'float64'];
}

function explainType(types: readonly string[], format: string, value: JsonValue, name: string, found: Findings): void {
  const [type, valueFormat] = kindOf(value);
  const passesForInteger = typeof value === 'number' && type === 'number' && isJsonInteger(value) && types.includes('integer');
  const fits = types.includes(type) || passesForInteger || (type === 'integer' && types.includes('number'));
  const lenient = typeof value === 'string' || Array.isArray(value);
  if (!lenient && format !== '' && !fits && valueFormat !== format) addType(format, valueFormat, name, found);
  else if (fits || (lenient && format !== '' && !types.includes('number') && !types.includes('integer'))) found.matches++;
  else addType(types.join(','), type, name, found);
}

function explainEnum(node: SchemaNode, value: JsonValue, name: string, budget: ValidationBudget, found: Findings): void {
  const values = node.values?.enum ?? [];
  if (values.length === 0 || enumCheck(values)(value, budget)) return;
  budget.visit(values.length);
  found.add({ message: `${name} in body should be one of ${goValueText([...values])}`, name, value, is: { noneOf: values } });
}

function explainList(
  node: SchemaNode,
  list: readonly JsonValue[],
  name: string,
  budget: ValidationBudget,
  correlation: Correlation | undefined,
  found: Findings,
): void {
  const { items } = node;
  for (let i = 0; items !== undefined && i < list.length && !found.full; i++)
    found.merge(explain(items, list[i] as JsonValue, `${name}[${i}]`, budget, correlation?.index(i)));
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = node.values ?? {};
  const size = list.length;
  if (size < minItems) found.add({ message: `${name} in body should have at least ${minItems} items`, name, value: size });
  if (size > maxItems)
    found.add({
      message: `${name} in body should have at most ${maxItems} items`,
      name,
      value: size,
      is: { moreThan: maxItems },
    });
  if (uniqueItems && hasEqualItems(list)) found.add({ message: `${name} in body shouldn't contain duplicates`, name });
  found.matches += 2;
}

function explainObject(
  node: SchemaNode,
  object: JsonObject,
  name: string,
  budget: ValidationBudget,
  correlation: Correlation | undefined,
  found: Findings,
): void {
  explainSize(node, Object.keys(object).length, name, found);
  const { properties, additional } = node;
  for (const key of Object.keys(object)) {
    if (properties?.has(key)) continue;
    if (additional === false) found.add({ message: `${name}.${key} in body is a forbidden property`, name, value: key });
    else if (typeof additional === 'object')
      found.merge(explain(additional, object[key] as JsonValue, `${name}.${key}`, budget, correlationOf(key, name, correlation)));
  }
  for (const [key, property] of properties ?? []) {
    if (!Object.hasOwn(object, key)) continue;
    const childName = name === '' ? key : `${name}.${key}`;
    found.merge(explain(property, object[key] as JsonValue, childName, budget, correlationOf(key, name, correlation)));
  }
  for (const key of node.values?.required ?? []) {
    if (Object.hasOwn(object, key)) continue;
    found.add({ message: `${name}.${key} in body is required`, name: `${name}.${key}`, is: 'required' });
  }
  found.matches++;
}

/** Old and new object have the apiVersion and kind of the request. */
function correlationOf(key: string, name: string, correlation: Correlation | undefined): Correlation | undefined {
  return name === '' && (key === 'kind' || key === 'apiVersion') ? undefined : correlation?.key(key);
}

function explainSize(node: SchemaNode, size: number, name: string, found: Findings): void {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = node.values ?? {};
  if (size < minProperties)
    found.add({ message: `${name} in body should have at least ${minProperties} properties`, name, value: size });
  if (size > maxProperties)
    found.add({
      message: `${name} in body should have at most ${maxProperties} properties`,
      name,
      value: size,
      is: { moreThan: maxProperties },
    });
}

/** Reports the first violation of length and pattern, and independently the format. */
function explainText(text: string, values: ValueRules | undefined, format: string, name: string, found: Findings): void {
  if (values !== undefined) explainLengthAndPattern(text, values, name, found);
  found.matches++;
  const hasFormat = format === '' ? undefined : stringFormat(format);
  if (hasFormat === undefined) return;
  if (!hasFormat(text))
    found.add({ message: `${name} in body must be of type ${format}: ${goQuote(text)}`, name, value: text, is: 'type' });
  found.matches++;
}

function explainLengthAndPattern(text: string, values: ValueRules, name: string, found: Findings): void {
  const { maxLength, minLength, pattern } = values;
  const length = maxLength === undefined && minLength === undefined ? 0 : characterCount(text);
  if (maxLength !== undefined && length > maxLength) {
    const message = `${name} in body should be at most ${maxLength} chars long`;
    found.add({ message, name, value: text, is: { longerThan: maxLength } });
  } else if (minLength !== undefined && length < minLength) {
    found.add({ message: `${name} in body should be at least ${minLength} chars long`, name, value: text });
  } else if (pattern !== '') explainPattern(text, pattern, name, found);
}

function explainPattern(text: string, pattern: string, name: string, found: Findings): void {
  try {
    if (goRegExp(pattern).matches(text)) return;
    found.add({ message: `${name} in body should match '${pattern}'`, name, value: text });
  } catch (error) {
    if (!(error instanceof GoRegExpError)) throw error;
    const message = `${name} in body should match '${pattern}, but pattern is invalid: ${error.message}'`;
    found.add({ message, name, value: text });
  }
}
