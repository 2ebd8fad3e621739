import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '@tsukube/storage';
import type { Registry } from './registry.ts';

const bytesPerBlock = 512;

/** The size of a database that is a file, or a folder of files. */
export function storageSize(registry: Registry, cluster: string, path: string): void {
  const size = registry.gauge({
    name: 'apiserver_storage_size_bytes',
    help: '[STABLE] Size of the storage database file physically allocated in bytes.',
    labels: ['storage_cluster_id'],
  });
  registry.beforeScrape(async () => size.with({ storage_cluster_id: cluster }).set(await allocated(path)));
}

/** What reads have found to be damaged and nothing has replaced yet. */
export function storageCorruption(registry: Registry, store: Store): void {
  const { corruption } = store;
  if (!corruption) return;
  const corrupt = registry.gauge({
    name: 'tsukube_storage_corrupt_objects',
    help: 'Number of stored objects that were found to be damaged.',
  });
  registry.beforeScrape(() => corrupt.with({}).set(corruption.call(store).count));
}

async function allocated(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.blocks * bytesPerBlock;
  const sizes = await Promise.all((await readdir(path)).map((name) => allocated(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}
