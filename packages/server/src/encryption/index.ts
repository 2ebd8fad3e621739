import { hostname } from 'node:os';
import { encryptionMetrics, type Logger, type Resource, type ServerMetrics } from '@tsukube/apiserver';
import { systemClock } from '@tsukube/storage';
import type { ServeOptions } from '../config/index.ts';
import type { Encryption, EncryptionChecks } from './encryption.ts';
import { resourceOfKey } from './resource-of-key.ts';

export type { Encryption, EncryptionChecks } from './encryption.ts';

export const noEncryptionChecks: EncryptionChecks = { kms: [], hooks: [] };

/** Opens encryption at rest if it is configured. Its modules are loaded only then. */
export async function configuredEncryption(
  options: ServeOptions,
  resources: readonly Resource[],
  metrics: ServerMetrics,
  logger: Logger,
): Promise<Encryption | undefined> {
  const { encryptionProviderConfig: file, encryptionProviderConfigAutomaticReload: reload, etcdPrefix } = options;
  if (file === undefined) return undefined;
  const { openEncryption } = await import('./encryption.ts');
  const stored = resources.map(({ names, hub, storagePrefix }) => ({
    group: hub.group,
    resource: names.plural,
    storagePrefix,
  }));
  return openEncryption({
    file,
    reload,
    resourceOf: resourceOfKey(stored, etcdPrefix),
    metrics: encryptionMetrics(metrics.registry, `apiserver-${hostname()}`, Date.now),
    clock: systemClock,
    logger,
  });
}
