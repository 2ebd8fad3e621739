import { createHash } from 'node:crypto';
import { BoundedCache } from '@tsukube/machinery';
import type { Registry } from './prometheus/registry.ts';
import { exponentialBounds } from './prometheus/series.ts';

type TransformationType = 'from_storage' | 'to_storage';

/** Metrics of encryption at rest, under kube-apiserver's names. */
export interface EncryptionMetrics {
  /** `resource` is a GroupResource as text. Returns the recorder for transformations of its values. */
  transformations(resource: string): (type: TransformationType, prefix: string, seconds: number, error: unknown) => void;
  readonly cacheMiss: () => void;
  provider(name: string): ProviderMetrics;
  reloaded(status: 'success' | 'failure'): void;
  /** Sets the hash of the current configuration. */
  configuration(hash: string): void;
}

/** Metrics of one KMS plugin. */
export interface ProviderMetrics {
  call(method: string, code: string, seconds: number): void;
  keyUsed(type: TransformationType, keyId: string): void;
  statusKeyId(keyId: string): void;
  invalidKeyId(code: string): void;
  cacheSize(entries: number): void;
}

export function encryptionMetrics(registry: Registry, serverId: string, now: () => number): EncryptionMetrics {
  const apiserver_id_hash = sha256(serverId);
  const reloads = registry.counter({
    name: 'apiserver_encryption_config_controller_automatic_reloads_total',
    help: '[ALPHA] Total number of reload successes and failures of encryption configuration split by apiserver identity.',
    labels: ['status', 'apiserver_id_hash'],
  });
  const reloadTimes = registry.gauge({
    name: 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
    help: '[ALPHA] Timestamp of the last successful or failed automatic reload of encryption configuration split by apiserver identity.',
    labels: ['status', 'apiserver_id_hash'],
  });
  const info = registry.gauge({
    name: 'apiserver_encryption_config_controller_last_config_info',
    help: '[ALPHA] Information about the last applied encryption configuration with hash as label, split by apiserver identity.',
    labels: ['apiserver_id_hash', 'hash'],
  });
  const misses = registry
    .counter({
      name: 'apiserver_storage_envelope_transformation_cache_misses_total',
      help: '[ALPHA] Total number of cache misses while accessing key decryption key(KEK).',
    })
    .with({});
  let lastHash: string | undefined;
  return {
    transformations: transformationMetrics(registry),
    cacheMiss: () => misses.increase(),
    provider: providerMetrics(registry, apiserver_id_hash, now),
    reloaded(status) {
      reloads.with({ status, apiserver_id_hash }).increase();
      reloadTimes.with({ status, apiserver_id_hash }).set(now() / 1000);
    },
    configuration(hash) {
      if (lastHash !== undefined) info.remove({ apiserver_id_hash, hash: lastHash });
      info.with({ apiserver_id_hash, hash }).set(1);
      lastHash = hash;
    },
  };
}

function transformationMetrics(registry: Registry): EncryptionMetrics['transformations'] {
  const operations = registry.counter({
    name: 'apiserver_storage_transformation_operations_total',
    help: '[ALPHA] Total number of transformations. Successful transformation will have a status OK and a varied status string when the transformation fails.',
    labels: ['resource', 'transformation_type', 'transformer_prefix', 'status'],
  });
  const latencies = registry.histogram({
    name: 'apiserver_storage_transformation_duration_seconds',
    help: '[ALPHA] Latencies in seconds of value transformation operations.',
    labels: ['transformation_type', 'transformer_prefix'],
    bounds: exponentialBounds(5e-6, 2, 25),
  });
  return (resource) => {
    const successes = new Map<string, (seconds: number) => void>();
    const success = (transformation_type: string, transformer_prefix: string) => {
      const count = operations.with({ resource, transformation_type, transformer_prefix, status: 'OK' });
      const latency = latencies.with({ transformation_type, transformer_prefix });
      return (seconds: number) => {
        count.increase();
        latency.observe(seconds);
      };
    };
    return (type, prefix, seconds, error) => {
      if (error !== undefined)
        return operations
          .with({ resource, transformation_type: type, transformer_prefix: prefix, status: 'unknown-non-grpc' })
          .increase();
      const key = `${type} ${prefix}`;
      const record = successes.get(key) ?? success(type, prefix);
      successes.set(key, record);
      record(seconds);
    };
  };
}

/** Series cached per provider; others are looked up by label. */
const maxKeyIds = 100;

function providerMetrics(registry: Registry, apiserver_id_hash: string, now: () => number): EncryptionMetrics['provider'] {
  const calls = registry.histogram({
    name: 'apiserver_envelope_encryption_kms_operations_latency_seconds',
    help: '[ALPHA] KMS operation duration with gRPC error code status total.',
    labels: ['provider_name', 'method_name', 'grpc_status_code'],
    bounds: exponentialBounds(0.0001, 2, 20),
  });
  const keyUses = registry.counter({
    name: 'apiserver_envelope_encryption_key_id_hash_total',
    help: '[ALPHA] Number of times a keyID is used split by transformation type, provider, and apiserver identity.',
    labels: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
  });
  const keyTimes = registry.gauge({
    name: 'apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds',
    help: '[ALPHA] The last time in seconds when a keyID was used.',
    labels: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
  });
  const statusTimes = registry.gauge({
    name: 'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds',
    help: '[ALPHA] The last time in seconds when a keyID was returned by the Status RPC call.',
    labels: ['provider_name', 'key_id_hash', 'apiserver_id_hash'],
  });
  const invalidKeyIds = registry.counter({
    name: 'apiserver_envelope_encryption_invalid_key_id_from_status_total',
    help: '[ALPHA] Number of times an invalid keyID is returned by the Status RPC call split by error.',
    labels: ['provider_name', 'error'],
  });
  const cacheSizes = registry.gauge({
    name: 'apiserver_envelope_encryption_dek_source_cache_size',
    help: '[ALPHA] Number of records in data encryption key (DEK) source cache.',
    labels: ['provider_name'],
  });
  return (provider_name) => {
    const uses = new BoundedCache<string, () => void>({ entries: maxKeyIds });
    const useOf = (transformation_type: TransformationType, keyId: string) => {
      const labels = { transformation_type, provider_name, key_id_hash: sha256(keyId), apiserver_id_hash };
      const [count, time] = [keyUses.with(labels), keyTimes.with(labels)];
      return () => {
        count.increase();
        time.set(now() / 1000);
      };
    };
    return {
      call: (method_name, grpc_status_code, seconds) =>
        calls.with({ provider_name, method_name, grpc_status_code }).observe(seconds),
      keyUsed(type, keyId) {
        const key = `${type} ${keyId}`;
        let use = uses.get(key);
        if (!use) {
          use = useOf(type, keyId);
          uses.set(key, use);
        }
        use();
      },
      statusKeyId: (keyId) =>
        statusTimes.with({ provider_name, key_id_hash: sha256(keyId), apiserver_id_hash }).set(now() / 1000),
      invalidKeyId: (error) => invalidKeyIds.with({ provider_name, error }).increase(),
      cacheSize: (entries) => cacheSizes.with({ provider_name }).set(entries),
    };
  };
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
