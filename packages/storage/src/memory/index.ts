import { type Clock, systemClock } from '../clock.ts';
import type { Store } from '../store.ts';
import { MemoryStore } from './memory-store.ts';

export interface MemoryOptions {
  readonly clock?: Clock;
}

/** Opens a store in memory, without persistence. */
export function openMemory(options: MemoryOptions = {}): Store {
  return new MemoryStore(options.clock ?? systemClock);
}
