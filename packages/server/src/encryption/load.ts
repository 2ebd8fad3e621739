import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { EncryptionMetrics, Logger } from '@tsukube/apiserver';
import type { Clock } from '@tsukube/storage';
import { parseEncryptionConfiguration, type ResourceConfiguration } from './configuration.ts';
import { KmsProviders, type ResourceTransformers, resourceTransformers } from './transformers.ts';
import { encryptionConfigurationErrors } from './validation.ts';

export interface LoadParts {
  readonly file: string;
  /** Whether the file is reloaded, for which some validations are stricter. */
  readonly reload: boolean;
  readonly metrics: EncryptionMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A configuration in use. */
export interface LoadedEncryption {
  readonly hash: string;
  readonly transformers: ResourceTransformers;
  readonly kms: KmsProviders;
}

/** Reads and applies a configuration file. Rejects with kube-apiserver's message. */
export async function loadEncryption(parts: LoadParts): Promise<LoadedEncryption> {
  const { hash, configuration } = await prefixed('error while parsing file', () => readConfiguration(parts));
  const kms = new KmsProviders(parts.metrics, parts.clock, parts.logger);
  try {
    const transformers = await prefixed('error while building transformers', () =>
      resourceTransformers(configuration, kms, parts.metrics),
    );
    return { hash, transformers, kms };
  } catch (error) {
    kms.close();
    throw error;
  }
}

/** Hash for change detection. Does not reveal secrets. */
export function configurationHash(data: Uint8Array): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

export function readConfigurationFile(file: string): Buffer {
  let data: Buffer;
  try {
    data = readFileSync(file);
  } catch (cause) {
    const problem = `error reading encryption provider configuration file ${JSON.stringify(file)}: ${(cause as Error).message}`;
    throw new Error(problem, { cause });
  }
  if (data.length === 0) throw new Error(`encryption provider configuration file ${JSON.stringify(file)} is empty`);
  return data;
}

async function readConfiguration({ file, reload }: LoadParts): Promise<{
  readonly hash: string;
  readonly configuration: readonly ResourceConfiguration[];
}> {
  const data = await prefixed('error while loading file', () => readConfigurationFile(file));
  const problem = `error decoding encryption provider configuration file ${JSON.stringify(file)}`;
  const configuration = await prefixed(problem, () => parseEncryptionConfiguration(data));
  const errors = encryptionConfigurationErrors(configuration, reload);
  if (errors.length > 0) throw new Error(errors.toString());
  return { hash: configurationHash(data), configuration };
}

async function prefixed<T>(prefix: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${prefix}: ${(cause as Error).message}`, { cause });
  }
}
