export type { FieldSet } from './field-set.ts';
export { type KnownRecord, knownRecord, recordWithText } from './record.ts';
export { type ReplicasPath, recordAfterScale, scaleRecord } from './scale.ts';
