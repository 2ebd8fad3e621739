import { type AgeCell, ageColumn, type CellValue, type Column, nameColumn } from '@tsukube/apiserver';
import { customColumns } from '@tsukube/crds';
import type { KubeObject } from '@tsukube/machinery';
import { typedObject } from '../schema/schema-types.ts';

/** A column of `kubectl get`. */
export interface TableColumn<T> {
  readonly name: string;
  /** A JSON path such as `.spec.cpu`, or a function. */
  readonly value: string | ((object: T) => CellValue | AgeCell | undefined);
  /** `string` by default. A `date` is shown as an age. */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Shown only with `-o wide`. */
  readonly wide?: boolean;
}

/** Name, the given columns, and Age unless one of them has this name or objects have no age. */
export function tableColumns<T>(given: readonly TableColumn<T>[], age = true): readonly Column[] {
  const hasAge = given.some(({ name }) => name.toLowerCase() === 'age');
  return [nameColumn, ...given.map(columnOf), ...(hasAge || !age ? [] : [ageColumn])];
}

function columnOf<T>({ name, value, type = 'string', format = '', description, wide }: TableColumn<T>): Column {
  const priority = wide ? 1 : 0;
  if (typeof value === 'string') {
    const [, column] = customColumns([{ name, type, format, description: description ?? '', priority, jsonPath: value }]);
    if (!column) throw new TypeError(`the column ${name} has an invalid JSON path: ${value}`);
    return column;
  }
  return {
    name,
    type,
    format,
    description: description ?? name,
    priority,
    value: (object: KubeObject) => value(typedObject(object)) ?? null,
  };
}
