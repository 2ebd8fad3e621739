export { type Clock, systemClock } from './clock.ts';
export { MAX_KEY_BYTES } from './keys.ts';
export { type MemoryOptions, openMemory } from './memory/index.ts';
export * from './store.ts';
