import type { EncryptionMetrics, HealthCheck, Logger } from '@tsukube/apiserver';
import { aggregateMessage, type GroupResource, groupResourceText, parseGroupResource } from '@tsukube/machinery';
import type { Clock } from '@tsukube/storage';
import {
  aesCbc,
  aesGcm,
  connectKmsPlugin,
  EnvelopeTransformer,
  identityTransformer,
  KmsProbe,
  type ObserveTransformation,
  type PrefixTransformer,
  PrefixTransformers,
  secretbox,
  type Transformer,
} from '@tsukube/storage/encryption';
import type { KeysConfiguration, KmsConfiguration, ProviderConfiguration, ResourceConfiguration } from './configuration.ts';
import { decodeSecret, socketOf } from './validation.ts';

/** A provider of the configuration. Resources share its keys, but have their own metrics. */
interface Provider {
  readonly prefix: string;
  transformer(observe: ObserveTransformation): Transformer;
}

export interface ResourceTransformers {
  /** Identity for resources without a rule. */
  for(resource: GroupResource): Transformer;
  /** Whether a KMS plugin encrypts the resource. */
  needsKms(resource: GroupResource): boolean;
}

/** Rules are for a resource, for a group (`*.apps`, `*.`) or for all (`*.*`); the most specific one applies. */
export async function resourceTransformers(
  configuration: readonly ResourceConfiguration[],
  kms: KmsProviders,
  metrics: EncryptionMetrics,
): Promise<ResourceTransformers> {
  const rules = new Map<string, Provider[]>();
  for (const { resources, providers } of configuration) {
    const made: Provider[] = [];
    for (const provider of providers) made.push(await providerOf(provider, kms));
    for (const resource of resources.map(parseGroupResource)) {
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
    const transformer = providers ? combined(providers, metrics.transformations(name)) : identityTransformer;
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

/** Earlier rules take precedence, so a narrower rule after a wider one has no effect. */
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
  if (!kms) return { prefix: '', transformer: () => identityTransformer };
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

const v1Refused =
  'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.';

/** The KMS plugins of one configuration. */
export class KmsProviders {
  readonly #metrics: EncryptionMetrics;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #open: { readonly probe: KmsProbe; close(): void }[] = [];
  #timeoutSumMs = 0;

  constructor(metrics: EncryptionMetrics, clock: Clock, logger: Logger) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** A plugin that does not respond is not an error, because it may start later. */
  async open({ apiVersion, name, endpoint, timeout }: KmsConfiguration): Promise<Transformer> {
    if (apiVersion === 'v1') throw new Error(v1Refused);
    const timeoutMs = Number(timeout / 1_000_000n) || 1;
    const { call, ...observe } = this.#metrics.provider(name);
    const plugin = connectKmsPlugin({ socket: socketOf(endpoint), timeoutMs, observe: call });
    const onFailure = (error: Error) =>
      this.#logger.error('kms plugin failed health check probe', { name, error: error.message });
    const probe = new KmsProbe({ name, plugin, clock: this.#clock, observe, onFailure });
    const close = () => {
      probe.stop();
      plugin.close();
    };
    this.#timeoutSumMs += timeoutMs;
    this.#open.push({ probe, close });
    await probe.start();
    const { writeKey, checkWritable } = probe;
    return new EnvelopeTransformer({
      plugin,
      writeKey,
      checkWritable,
      clock: this.#clock,
      observe: { ...observe, cacheMiss: this.#metrics.cacheMiss },
    });
  }

  get size(): number {
    return this.#open.length;
  }

  /** Grace period for calls in flight after a reload. */
  get closeGraceMs(): number {
    return 2 * this.#timeoutSumMs;
  }

  /** All plugins as one check; errors contain the index of the plugin. */
  readonly check: HealthCheck['check'] = async () => {
    const problems: string[] = [];
    for (const [i, { probe }] of this.#open.entries())
      await probe.check().catch((error: Error) => problems.push(`kms-provider-${i}: ${error.message}`));
    if (problems.length > 0) throw new Error(aggregateMessage(problems));
  };

  close(): void {
    for (const each of this.#open) each.close();
  }
}
