import { setTimeout as pause } from 'node:timers/promises';
import type { HealthCheck } from '@tsukube/apiserver';
import type { Clock, Store } from '@tsukube/storage';
import { encryptedStore, identityTransformer } from '@tsukube/storage/encryption';
import { configurationHash, type LoadedEncryption, type LoadParts, loadEncryption, readConfigurationFile } from './load.ts';
import type { ResourceOfKey } from './resource-of-key.ts';

export interface EncryptionChecks {
  /** Checks of the KMS plugins, for healthz and readyz. */
  readonly kms: readonly HealthCheck[];
  /** Checks for all endpoints. */
  readonly hooks: readonly HealthCheck[];
}

/** Encryption at rest, configured by a file. */
export interface Encryption {
  encrypted(store: Store): Store;
  readonly checks: EncryptionChecks;
  close(): void;
}

export interface EncryptionParts extends LoadParts {
  readonly resourceOf: ResourceOfKey;
}

/** Rejects if the file is invalid. With `reload` it is read again when it changes. */
export async function openEncryption(parts: EncryptionParts): Promise<Encryption> {
  const { metrics, reload, resourceOf } = parts;
  const first = await loadEncryption(parts);
  // The start fails with the reason if this times out.
  if (neededAtStart.some(first.transformers.needsKms)) await healthy(first, parts.clock, startPatienceMs).catch(() => {});
  metrics.configuration(first.hash);
  const following = new FollowedConfiguration(parts, first);
  if (reload) following.start();
  const hasCheck = reload || first.kms.size > 0;
  return {
    encrypted(store) {
      const transformerOf = (key: string) => {
        const resource = resourceOf(key);
        return resource ? following.current.transformers.for(resource) : identityTransformer;
      };
      return encryptedStore(store, transformerOf, { ...(reload && { refresh: () => following.refresh() }) });
    },
    checks: {
      kms: hasCheck ? [{ name: 'kms-providers', explains: true, check: () => following.current.kms.check() }] : [],
      hooks: reload ? [{ name: reloadHook, check: () => {} }] : [],
    },
    close: () => following.close(),
  };
}

/** Hook of the file watcher, which runs once the file is read. */
const reloadHook = 'poststarthook/start-encryption-provider-config-automatic-reload';

/** Resources that the server itself reads and writes before it serves. */
const neededAtStart = [
  { group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
  { group: 'flowcontrol.apiserver.k8s.io', resource: 'flowschemas' },
  { group: 'scheduling.k8s.io', resource: 'priorityclasses' },
  { group: '', resource: 'namespaces' },
];
/** How long the start waits for KMS plugins, which may start later. kube-apiserver waits as long for its bootstrap roles. */
const startPatienceMs = 30_000;

/** Polling interval of the file, as in kube-apiserver. */
const pollMs = 60_000;
const firstRetryMs = 1_000;
/** Minimum time between two readings of the file because of values that cannot be opened. */
const refreshMs = 100;

/** Polls the configuration file. An invalid file changes nothing. */
class FollowedConfiguration {
  current: LoadedEncryption;
  readonly #parts: LoadParts;
  readonly #closing = new Set<{ readonly cancel: () => void; readonly loaded: LoadedEncryption }>();
  #cancel = () => {};
  #failures = 0;
  #polling: Promise<void> | undefined;
  #refreshing: Promise<void> | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(parts: LoadParts, first: LoadedEncryption) {
    this.#parts = parts;
    this.current = first;
  }

  start(): void {
    this.#cancel = this.#parts.clock.after(this.#delay(), () => {
      // #poll does not reject.
      void this.#poll().then(() => {
        if (!this.#closed) this.start();
      });
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
    this.current.kms.close();
    for (const { cancel, loaded } of this.#closing) {
      cancel();
      loaded.kms.close();
    }
  }

  /**
   * Reads the file now: a value has a prefix of no known key, so another process of the server may have read a newer file. Never
   * rejects. All calls within a moment share one reading.
   */
  refresh(): Promise<void> {
    const { clock } = this.#parts;
    const waitMs = this.#polledAt + refreshMs - clock.now();
    if (waitMs <= 0) return this.#poll();
    this.#refreshing ??= new Promise<void>((resolve) => clock.after(waitMs, resolve)).then(() => {
      this.#refreshing = undefined;
      return this.#poll();
    });
    return this.#refreshing;
  }

  /** Retries with backoff, up to the polling interval. */
  #delay(): number {
    return this.#failures === 0 ? pollMs : Math.min(firstRetryMs * 2 ** (this.#failures - 1), pollMs);
  }

  #poll(): Promise<void> {
    this.#polling ??= this.#readAgain().finally(() => {
      this.#polling = undefined;
      this.#polledAt = this.#parts.clock.now();
    });
    return this.#polling;
  }

  async #readAgain(): Promise<void> {
    const { file, metrics, logger } = this.#parts;
    try {
      if (configurationHash(readConfigurationFile(file)) !== this.current.hash) await this.#reload();
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      metrics.reloaded('failure');
      logger.error('error processing encryption config file', { file, error: (error as Error).message });
    }
  }

  async #reload(): Promise<void> {
    const { metrics, logger, clock } = this.#parts;
    const next = await loadEncryption(this.#parts);
    try {
      // A configuration whose plugins do not respond is not applied.
      await healthy(next, clock, Math.max(minPatienceMs, next.kms.closeGraceMs));
    } catch (error) {
      next.kms.close();
      throw error;
    }
    // The file may have been reverted meanwhile, or the server may be stopping.
    if (this.#closed || next.hash === this.current.hash) return next.kms.close();
    this.#closeLater(this.current);
    this.current = next;
    metrics.configuration(next.hash);
    metrics.reloaded('success');
    logger.info('loaded new encryption config content', { hash: next.hash });
  }

  /** Grace period for calls to plugins of the replaced configuration. */
  #closeLater(loaded: LoadedEncryption): void {
    const closing = {
      loaded,
      cancel: this.#parts.clock.after(loaded.kms.closeGraceMs, () => {
        this.#closing.delete(closing);
        loaded.kms.close();
      }),
    };
    this.#closing.add(closing);
  }
}

const minPatienceMs = 10_000;
const healthPollMs = 100;

/** Waits until the plugins of a configuration are healthy. Rejects after a timeout. */
async function healthy({ kms }: LoadedEncryption, clock: Clock, patienceMs: number): Promise<void> {
  const end = clock.now() + patienceMs;
  for (;;) {
    try {
      return await kms.check();
    } catch (error) {
      if (clock.now() >= end) throw new Error(`health check for new transformers failed: ${(error as Error).message}`);
    }
    await pause(healthPollMs, undefined, { ref: false });
  }
}
