// Each driver has its own entry point (@tsukube/storage/lmdb …), so that only the one in use is loaded.
export { type Clock, systemClock } from './clock.ts';
export { isEncrypted } from './encryption/transformer.ts';
export { MAX_KEY_BYTES } from './keys.ts';
export * from './store.ts';
export { eachInSlices, TimeSlice } from './time-slice.ts';
