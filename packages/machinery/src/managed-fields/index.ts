export type { FieldSet } from './field-set.ts';
export { internedRecord, type ManagedFieldsRecord, managedFieldsProblem, recordFromText } from './managed-fields.ts';
export { managedFieldsAfterScale, type ReplicasPath, scaleManagedFields } from './scale.ts';
