export { emptyObject } from './empty.ts';
export type { FieldSet } from './field-set.ts';
export type { ObjectShape } from './shape.ts';
export { shapeOf } from './shape.ts';
export { trackApply } from './track-apply.ts';
export type { Writer } from './track-update.ts';
export { trackUpdate } from './track-update.ts';
export { misfit } from './validate.ts';
export type { Versions } from './versions.ts';
