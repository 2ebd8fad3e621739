import { formatGoDuration, type JsonObject, numberIn, objectIn, textIn } from '@tsukube/machinery';

/** Durations are in milliseconds. */
export interface ImagePolicyConfiguration {
  readonly kubeConfigFile: string;
  readonly allowTtl: number;
  readonly denyTtl: number;
  readonly retryBackoff: number;
  readonly defaultAllow: boolean;
}

const [second, minute] = [1000, 60_000];

/** Reads the field `imagePolicy`. Throws an Error with kube-apiserver's message. */
export function imagePolicyConfiguration(configuration: JsonObject | undefined): ImagePolicyConfiguration {
  if (!configuration) throw new Error('no config specified');
  const policy = objectIn(configuration, 'imagePolicy');
  return {
    retryBackoff: durationIn(policy, 'retryBackoff', 1, { min: 1e-6, max: 5 * minute, fallback: 500 }),
    allowTtl: durationIn(policy, 'allowTTL', second, { min: second, max: 30 * minute, fallback: 5 * minute }),
    denyTtl: durationIn(policy, 'denyTTL', second, { min: second, max: 30 * minute, fallback: 30 * second }),
    kubeConfigFile: textIn(policy, 'kubeConfigFile'),
    defaultAllow: policy?.defaultAllow === true,
  };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}

/** Zero means the default, -1 disables. */
function durationIn(policy: JsonObject | undefined, field: string, unitMs: number, { min, max, fallback }: Bounds): number {
  const given = numberIn(policy, field);
  if (given === 0) return fallback;
  if (given === -1) return 0;
  const value = given * unitMs;
  if (value >= min && value <= max) return value;
  const [least, most, actual] = [min, max, value].map((ms) => formatGoDuration(BigInt(Math.round(ms * 1e6))));
  throw new Error(`valid value is between ${least} and ${most}, got ${actual}`);
}
