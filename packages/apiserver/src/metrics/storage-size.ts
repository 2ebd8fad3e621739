import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
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

async function allocated(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.blocks * bytesPerBlock;
  const sizes = await Promise.all((await readdir(path)).map((name) => allocated(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}
