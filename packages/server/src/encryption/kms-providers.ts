import type { EncryptionMetrics, HealthCheck, Logger } from '@tsukube/apiserver';
import type { Clock } from '@tsukube/storage';
import { connectKmsPlugin, EnvelopeTransformer, KmsProbe, type Transformer } from '@tsukube/storage/encryption';
import type { KmsConfiguration } from './configuration.ts';
import { socketOf } from './validation.ts';

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

  /** A plugin that does not answer is no error: it may start after the server. */
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

  /** Long enough for calls under way when another configuration has taken over. */
  get closeGraceMs(): number {
    return 2 * this.#timeoutSumMs;
  }

  /** All plugins as one check, each error with the place of its plugin. */
  readonly check: HealthCheck['check'] = async () => {
    const problems: string[] = [];
    for (const [i, { probe }] of this.#open.entries())
      await probe.check().catch((error: Error) => problems.push(`kms-provider-${i}: ${error.message}`));
    if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
  };

  close(): void {
    for (const each of this.#open) each.close();
  }
}
