export { trackApply } from './apply.ts';
export type { Writer } from './field-manager.ts';
export { allBut, ConversionFailed, type Versions } from './field-manager.ts';
export type { ObjectShape } from './merge-schema.ts';
export { shapeOf } from './merge-schema.ts';
export { trackFully, trackUpdate } from './track-update.ts';
export { misfit } from './validate.ts';
