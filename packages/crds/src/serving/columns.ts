import { type AgeCell, ageColumn, type CellValue, type Column, nameColumn } from '@tsukube/apiserver';
import {
  canonicalTime,
  GoTimeError,
  goValueText,
  type JsonObject,
  type JsonValue,
  sortKeys,
  stringifyJson,
} from '@tsukube/machinery';
import type { DefinedColumn } from '../definition/definition.ts';
import { findAll, type JsonPathStep, PathMismatch, PathSyntaxError, parsePath } from './json-path.ts';

/** Table columns: Name and the defined columns, or Name and Age. */
export function customColumns(defined: readonly DefinedColumn[]): readonly Column[] {
  if (defined.length === 0) return [nameColumn, asDate(ageColumn)];
  const columns: Column[] = [nameColumn];
  for (const column of defined) {
    const steps = stepsOf(column.jsonPath);
    // Stored by an older server with an invalid path: only the columns before it are shown.
    if (!steps) break;
    columns.push(definedColumn(column, steps));
  }
  return columns;
}

/** Table columns of the scale subresource. */
export function scaleColumns(): readonly Column[] {
  const counted = (name: string, description: string, jsonPath: string): DefinedColumn => ({
    name,
    type: 'integer',
    format: '',
    description,
    priority: 0,
    jsonPath,
  });
  const defined = [
    counted('Desired', 'Number of desired replicas', '.spec.replicas'),
    counted('Available', 'Number of actual replicas', '.status.replicas'),
  ];
  return [...customColumns(defined), asDate(ageColumn)];
}

/** Keeps the description lazy. */
function asDate(column: Column): Column {
  return {
    name: column.name,
    type: 'date',
    value: column.value,
    get description() {
      return column.description;
    },
  };
}

function stepsOf(jsonPath: string): readonly JsonPathStep[] | undefined {
  try {
    return parsePath(jsonPath);
  } catch (error) {
    if (error instanceof PathSyntaxError) return undefined;
    throw error;
  }
}

function definedColumn(
  { name, type, format, description, priority, jsonPath }: DefinedColumn,
  steps: readonly JsonPathStep[],
): Column {
  return {
    name,
    type: type as Column['type'],
    format,
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    value: (object) => cellOf(type, firstOf(object, steps)),
  };
}

function firstOf(object: JsonObject, steps: readonly JsonPathStep[]): JsonValue | undefined {
  try {
    return findAll(object, steps)[0];
  } catch (error) {
    if (error instanceof PathMismatch) return undefined;
    throw error;
  }
}

function cellOf(type: string, value: JsonValue | undefined): CellValue | AgeCell {
  if (value === undefined) return null;
  switch (type) {
    case 'string':
      return textOf(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOf(value) : null;
    default:
      return null;
  }
}

function textOf(value: JsonValue): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? stringifyJson(sortKeys(value)) : goValueText(value);
}

function ageOf(text: string): CellValue | AgeCell {
  if (text === '' || text === 'null') return { age: undefined };
  try {
    return { age: canonicalTime(text) };
  } catch (error) {
    if (error instanceof GoTimeError) return '<invalid>';
    throw error;
  }
}
