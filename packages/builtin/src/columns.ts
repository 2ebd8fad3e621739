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

/** To be used instead of a copy of nameColumn: copying looks the description up. */
export function nameColumnWith(more: Partial<Column>): Column {
  const name: Column['value'] = (object) => (metadataOf(object).name as string | undefined) ?? '';
  return column('Name', { type: objectMeta, field: 'name' }, name, { format: 'name', ...more });
}

export const nameColumn: Column = nameColumnWith({});

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
