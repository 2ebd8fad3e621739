import { describeColumn } from '@tsukube/api';
import type { Column } from './resource.ts';

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** A column with the description of a field of a type. The description is loaded with the first table. */
export function column(
  name: string,
  of: { type: string; field: string },
  value: Column['value'],
  more: Partial<Column> = {},
): Column {
  return {
    name,
    type: 'string',
    ...more,
    get description() {
      return describeColumn(of.type, of.field);
    },
    value,
  };
}

/** Use this instead of spreading nameColumn, which would load the description. */
export function nameColumnWith(more: Partial<Column>): Column {
  const name: Column['value'] = (object) => object.metadata.name ?? '';
  return column('Name', { type: objectMeta, field: 'name' }, name, { format: 'name', ...more });
}

export const nameColumn: Column = nameColumnWith({});

export const ageColumn: Column = column('Age', { type: objectMeta, field: 'creationTimestamp' }, (object) => ({
  age: object.metadata.creationTimestamp,
}));

/** Columns of a kind that defines none. */
export const plainColumns: readonly Column[] = [
  nameColumn,
  column('Created At', { type: objectMeta, field: 'creationTimestamp' }, (object) => object.metadata.creationTimestamp ?? null, {
    type: 'date',
  }),
];
