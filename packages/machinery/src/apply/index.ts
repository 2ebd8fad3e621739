export { trackApply } from './apply.ts';
export { atomicPaths } from './atomic-paths.ts';
export type { FieldManager } from './field-manager.ts';
export { ConversionFailed, excludeFields, type Versions } from './field-manager.ts';
export { mergeObjects } from './merge.ts';
export type { ObjectMergeSchema } from './merge-schema.ts';
export { mergeSchemaOf } from './merge-schema.ts';
export { trackFully, trackUpdate } from './track-update.ts';
export { schemaMismatch } from './validate.ts';
