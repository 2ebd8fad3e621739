import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { checkAdmission } from './flags/admission-flags.ts';
import { checkAudit } from './flags/audit-flags.ts';
import { checkAuthentication } from './flags/authentication-flags.ts';
import { canonicalControllers } from './flags/controllers-flag.ts';
import { type Flag, flagName } from './flags/flag.ts';
import { flags } from './flags/flags.ts';
import type { GivenOptions, OptionName, ServeOptions } from './flags/options.ts';
import { checkSqlStorage } from './flags/sql-flags.ts';
import { UsageError } from './flags/usage-error.ts';

/** Applies defaults and rejects invalid combinations with a UsageError. A server in memory without a data dir touches no disk. */
export function completeOptions(given: GivenOptions): ServeOptions {
  checkValues(given);
  checkPairs(given);
  checkAuthentication(given);
  checkAdmission(given);
  const options = { ...fallbacks(), ...withoutUndefined(given) } as Record<OptionName, unknown> & GivenOptions;
  const storage = storageOf(given);
  if ((given.workers ?? 1) > 1 && storage !== 'lmdb')
    throw new UsageError(`--workers needs --storage lmdb; with ${storage} start several servers instead`);
  const dataDir = given.dataDir ?? (storage === 'memory' ? undefined : '.tsukube');
  const certDir = given.certDir ?? inside(dataDir, 'pki');
  return {
    ...options,
    storage,
    dataDir,
    certDir,
    // Without certDir, an RSA key would be generated at every start.
    clientKeyAlgorithm: given.clientKeyAlgorithm ?? (certDir === undefined ? 'ecdsa' : 'rsa'),
    kubeconfigOut: given.kubeconfigOut ?? inside(dataDir, 'admin.kubeconfig'),
    advertiseAddress: given.advertiseAddress ?? reachable(options.bindAddress as string),
    auditWebhookInitialBackoff: given.auditWebhookBatchInitialBackoff ?? options.auditWebhookInitialBackoff,
    controllers: canonicalControllers(options.controllers as readonly string[]),
    logLevel: given.logLevel ?? levelOfVerbosity(options.v as number),
  } as ServeOptions;
}

function checkValues(given: GivenOptions): void {
  for (const [name, value] of Object.entries(given) as [OptionName, unknown][]) {
    if (!Object.hasOwn(flags, name)) throw new UsageError(`unknown option ${name}`);
    const complaint = value === undefined ? undefined : (flags[name] as Flag<unknown>).check?.(value);
    if (complaint !== undefined) throw new UsageError(`--${flagName(name)}: ${quoted(value)}${complaint}`);
  }
}

function quoted(value: unknown): string {
  return typeof value === 'object' ? '' : `${JSON.stringify(value)} `;
}

function checkPairs(given: GivenOptions): void {
  together(given, 'tlsCertFile', 'tlsPrivateKeyFile');
  together(given, 'clusterSigningCertFile', 'clusterSigningKeyFile');
  together(given, 'etcdCertfile', 'etcdKeyfile');
  together(given, 'kubeletClientCertificate', 'kubeletClientKey');
  together(given, 'proxyClientCertFile', 'proxyClientKeyFile');
  together(given, 'etcdUsername', 'etcdPasswordFile');
  together(given, 'storageCertfile', 'storageKeyfile');
  checkSqlStorage(given);
  if (given.enablePriorityAndFairness !== false && given.maxRequestsInflight === 0 && given.maxMutatingRequestsInflight === 0)
    throw new UsageError(
      '--max-requests-inflight and --max-mutating-requests-inflight must not both be 0 with --enable-priority-and-fairness',
    );
  if (given.encryptionProviderConfigAutomaticReload && given.encryptionProviderConfig === undefined)
    throw new UsageError('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config');
  checkAuthorization(given);
  checkAudit(given);
  for (const name of ['etcdCafile', 'etcdCertfile', 'etcdUsername'] as const) {
    if (given[name] !== undefined && !given.etcdServers?.length) {
      throw new UsageError(`--${flagName(name)} requires --etcd-servers`);
    }
  }
}

const modeFlags = [
  'authorizationMode',
  'authorizationWebhookConfigFile',
  'authorizationWebhookVersion',
  'authorizationWebhookCacheAuthorizedTtl',
  'authorizationWebhookCacheUnauthorizedTtl',
] as const;

function checkAuthorization(given: GivenOptions): void {
  const { authorizationMode: modes = [], authorizationConfig } = given;
  if (authorizationConfig !== undefined && modeFlags.some((name) => given[name] !== undefined)) {
    throw new UsageError(
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    );
  }
  needsMode(given, 'authorizationPolicyFile', modes, 'ABAC', authorizationConfig !== undefined);
  needsMode(given, 'authorizationWebhookConfigFile', modes, 'Webhook', false);
}

function needsMode(given: GivenOptions, file: OptionName, modes: readonly string[], mode: string, elsewhere: boolean): void {
  const isGiven = given[file] !== undefined;
  if (isGiven && !modes.includes(mode) && !elsewhere)
    throw new UsageError(`--${flagName(file)} requires --authorization-mode=${mode}`);
  if (!isGiven && modes.includes(mode)) throw new UsageError(`--authorization-mode=${mode} needs --${flagName(file)}`);
}

function together(given: GivenOptions, one: OptionName, other: OptionName): void {
  if ((given[one] === undefined) === (given[other] === undefined)) return;
  throw new UsageError(`--${flagName(one)} and --${flagName(other)} must be given together`);
}

function storageOf({ storage, etcdServers = [] }: GivenOptions): ServeOptions['storage'] {
  if (storage === 'etcd' && etcdServers.length === 0) throw new UsageError('--storage etcd needs --etcd-servers');
  if (storage !== undefined && storage !== 'etcd' && etcdServers.length > 0) {
    throw new UsageError(`--storage ${storage} contradicts --etcd-servers`);
  }
  return storage ?? (etcdServers.length > 0 ? 'etcd' : 'lmdb');
}

function fallbacks(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, flag.fallback]));
}

/** The share of a limit that one of the processes of `--workers` has. 0 means no limit. */
export function perProcess({ workers }: Pick<ServeOptions, 'workers'>, limit: number): number {
  return Math.ceil(limit / workers);
}

function withoutUndefined(given: GivenOptions): GivenOptions {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function inside(dataDir: string | undefined, name: string): string | undefined {
  return dataDir === undefined ? undefined : join(dataDir, name);
}

/** klog verbosity: 2 is common in production, 4 and above is for debugging. */
function levelOfVerbosity(v: number): ServeOptions['logLevel'] {
  if (v >= 4) return 'debug';
  return v >= 1 ? 'info' : 'warn';
}

function reachable(bindAddress: string): string {
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') return bindAddress;
  const external = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return external.find((address) => !address.internal && address.family === 'IPv4')?.address ?? '127.0.0.1';
}
