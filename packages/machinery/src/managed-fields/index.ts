export type { FieldSet } from './field-set.ts';
export { internedRecord, type ManagedFieldsRecord, recordFromText } from './managed-fields.ts';
export { managedFieldsAfterScale, type ReplicasPath, scaleManagedFields } from './scale.ts';
