import type { FieldType } from './type.ts';

/** Whether this is the type of `managedFields`. */
export function isRecord(type: FieldType): boolean {
  return type.is === 'list' && type.of.is === 'object' && type.of.ref.endsWith('ManagedFieldsEntry');
}
