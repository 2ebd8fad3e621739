import type { EncryptionMetrics } from '@tsukube/apiserver';
import {
  aesCbc,
  aesGcm,
  identity,
  type ObserveTransformation,
  type PrefixTransformer,
  PrefixTransformers,
  secretbox,
  type Transformer,
} from '@tsukube/storage/encryption';
import type { KeysConfiguration, ProviderConfiguration, ResourceConfiguration } from './configuration.ts';
import { type GroupResource, groupResourceOf, groupResourceText } from './group-resource.ts';
import type { KmsProviders } from './kms-providers.ts';
import { decodeSecret } from './validation.ts';

/** A provider of the configuration. Its keys are shared by the resources it is for, the measuring is not. */
interface Provider {
  readonly prefix: string;
  transformer(observe: ObserveTransformation): Transformer;
}

export interface ResourceTransformers {
  /** Identity for a resource that no rule is for. */
  for(resource: GroupResource): Transformer;
  /** Whether a KMS plugin encrypts the resource. */
  needsKms(resource: GroupResource): boolean;
}

/** Rules are for a resource, for all of a group (`*.apps`, `*.`) or for all (`*.*`); the most specific one holds. */
export async function resourceTransformers(
  configuration: readonly ResourceConfiguration[],
  kms: KmsProviders,
  metrics: EncryptionMetrics,
): Promise<ResourceTransformers> {
  const rules = new Map<string, Provider[]>();
  for (const { resources, providers } of configuration) {
    const made: Provider[] = [];
    for (const provider of providers) made.push(await providerOf(provider, kms));
    for (const resource of resources.map(groupResourceOf)) {
      checkMasked(resource, rules);
      const rule = ruleText(resource);
      rules.set(rule, [...(rules.get(rule) ?? []), ...made]);
    }
  }
  const providersOf = (resource: GroupResource) =>
    rules.get(ruleText(resource)) ?? rules.get(ruleText({ group: resource.group, resource: '*' })) ?? rules.get(everything);
  const built = new Map<string, Transformer>();
  const build = (name: string, resource: GroupResource): Transformer => {
    const providers = providersOf(resource);
    const transformer = providers ? combined(providers, metrics.transformations(name)) : identity;
    built.set(name, transformer);
    return transformer;
  };
  return {
    for(resource) {
      const name = groupResourceText(resource);
      return built.get(name) ?? build(name, resource);
    },
    needsKms: (resource) => providersOf(resource)?.[0]?.prefix.startsWith(kmsPrefix) ?? false,
  };
}

const everything = '*.*';
const kmsPrefix = 'k8s:enc:kms:v2:';

function ruleText(resource: GroupResource): string {
  return resource.group === '' && resource.resource === '*' ? '*.' : groupResourceText(resource);
}

/** Earlier rules take precedence, so one for less after one for more would have no effect. */
function checkMasked(resource: GroupResource, rules: ReadonlyMap<string, unknown>): void {
  for (const earlier of [ruleText({ group: resource.group, resource: '*' }), everything])
    if (rules.has(earlier)) throw new Error(`resource "${ruleText(resource)}" is masked by earlier rule "${earlier}"`);
}

function combined(providers: readonly Provider[], observe: ObserveTransformation): Transformer {
  const transformers = providers.map(({ prefix, transformer }) => ({ prefix, transformer: transformer(observe) }));
  return new PrefixTransformers(transformers, 'no matching prefix found', observe);
}

async function providerOf(
  { aesgcm, aescbc, secretbox: box, kms }: ProviderConfiguration,
  providers: KmsProviders,
): Promise<Provider> {
  if (aesgcm) return keyed('k8s:enc:aesgcm:v1:', 'AES', await keysOf(aesgcm, aesGcm));
  if (aescbc) return keyed('k8s:enc:aescbc:v1:', 'AES', await keysOf(aescbc, aesCbc));
  if (box) return keyed('k8s:enc:secretbox:v1:', 'Secretbox', await keysOf(box, secretbox));
  if (!kms) return { prefix: '', transformer: () => identity };
  const transformer = await providers.open(kms);
  return { prefix: `${kmsPrefix}${kms.name}:`, transformer: () => transformer };
}

function keysOf(
  { keys = [] }: KeysConfiguration,
  cipher: (key: Uint8Array) => Transformer | Promise<Transformer>,
): Promise<readonly PrefixTransformer[]> {
  return Promise.all(
    keys.map(async ({ name, secret }) => ({
      prefix: `${name}:`,
      transformer: await cipher(decodeSecret(secret) as Buffer),
    })),
  );
}

function keyed(prefix: string, type: string, keys: readonly PrefixTransformer[]): Provider {
  const noKey = `no matching key was found for the provided ${type} transformer`;
  return { prefix, transformer: (observe) => new PrefixTransformers(keys, noKey, observe) };
}
