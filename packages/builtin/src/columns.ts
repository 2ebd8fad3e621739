import type { Column } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { describeColumn } from './types/descriptions.ts';

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** A column that is described as a field of a type is; the text is looked up when a table is first asked for. */
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

export const nameColumn: Column = column(
  'Name',
  { type: objectMeta, field: 'name' },
  (object) => metadataOf(object).name as string,
  {
    format: 'name',
  },
);

export const ageColumn: Column = column('Age', { type: objectMeta, field: 'creationTimestamp' }, (object) => ({
  age: metadataOf(object).creationTimestamp as string | undefined,
}));

/** What a table of a kind shows that has no columns of its own. */
export const plainColumns: readonly Column[] = [
  nameColumn,
  column(
    'Created At',
    { type: objectMeta, field: 'creationTimestamp' },
    (object) => (metadataOf(object).creationTimestamp as string | undefined) ?? null,
    { type: 'date' },
  ),
];

export function metadataOf(object: JsonObject): JsonObject {
  return object.metadata as JsonObject;
}
