import { type Clock, systemClock } from '../clock.ts';
import type { Store } from '../store.ts';
import { MemoryStore } from './memory-store.ts';

export interface MemoryOptions {
  readonly clock?: Clock;
}

/** A store that lives and dies with the process. */
export function openMemory(options: MemoryOptions = {}): Store {
  return new MemoryStore(options.clock ?? systemClock);
}
