import { type FeatureGates, featureGatesComplaint, parseFeatureGates } from './feature-gates.ts';
import type { Flag } from './flag.ts';
import { choice, duration, inputFile, integer, optionalText, pairs, text, texts, toggle } from './flag-types.ts';

const ignored = { group: 'Accepted without effect' } as const;
const refused = { group: 'Refused' } as const;

const because = (help: string) => ({ ...ignored, help });
const path = (help: string) => inputFile(because(help));
const count = (fallback: number, help: string, max = Number.MAX_SAFE_INTEGER) =>
  integer({ ...because(help), fallback, min: 0, max });
const time = (fallback: number, help: string) => duration({ ...because(help), fallback });
const bytes = (help: string) =>
  text({
    ...because(help),
    fallback: '0',
    placeholder: 'QUANTITY',
    check: matches(/^\d+([kKMGTPE]i?)?$/, 'is not a quantity such as 512 or 2Ki'),
  });

const noEmulation = 'The behaviour is always that of 1.36.';
const peers = 'Replicas do not forward requests to each other.';
const unbuffered = 'Log lines are not buffered.';
const noProfiles = 'There is no Go profiler.';
const noElection = 'There is no coordinated leader election.';

const featureGates: Flag<FeatureGates> = {
  ...because('Features are served as 1.36 has them by default.'),
  placeholder: 'NAME=true|false,…',
  fallback: {},
  accumulates: true,
  parse: parseFeatureGates,
  check: featureGatesComplaint,
};

/** Flags of kube-apiserver that are validated but have no effect. Values other than the default are logged at start. */
export const ignoredFlags = {
  aggregatorRejectForwardingRedirect: toggle({ ...because('Redirects of API servers are never forwarded.'), fallback: true }),
  allowMetricLabels: pairs({
    ...because('Labels of metrics have few values by construction.'),
    placeholder: 'METRIC,LABEL=VALUES',
  }),
  allowMetricLabelsManifest: path('Labels of metrics have few values by construction.'),
  allowPrivileged: toggle({ ...because('Privileged containers are always allowed.'), fallback: true }),
  apiserverCount: count(1, 'Only --endpoint-reconciler-type=master-count needs it.'),
  contentionProfiling: toggle({ ...because(noProfiles), fallback: false }),
  coordinatedLeadershipLeaseDuration: time(15_000, noElection),
  coordinatedLeadershipRenewDeadline: time(10_000, noElection),
  coordinatedLeadershipRetryPeriod: time(2_000, noElection),
  permitAddressSharing: toggle({ ...because('Node always listens with SO_REUSEADDR.'), fallback: true }),
  debugSocketPath: optionalText({ ...because(noProfiles), placeholder: 'FILE' }),
  defaultWatchCacheSize: count(100, 'The watch cache sizes itself.'),
  deleteCollectionWorkers: count(1, 'Objects of a collection are deleted 64 at a time.'),
  disabledMetrics: texts({ ...because('Every metric is served.'), placeholder: 'METRIC,…' }),
  egressSelectorConfigFile: path('Connections to other servers are made directly.'),
  emulatedVersion: texts({
    ...because(noEmulation),
    placeholder: 'VERSION',
    fallbackText: '1.36',
    check: each(matches(/^(kube=)?1\.3[3-6]$/, 'is not between 1.33 and 1.36')),
  }),
  emulationForwardCompatible: toggle({ ...because(noEmulation), fallback: false }),
  etcdCountMetricPollPeriod: time(60_000, 'Counts come from memory, or from the store at most once a minute.'),
  etcdDbMetricPollInterval: time(30_000, 'The size of the database is read when /metrics is.'),
  etcdHealthcheckTimeout: time(2_000, 'The health check has the deadline of its request.'),
  etcdReadycheckTimeout: time(2_000, 'The readiness check has the deadline of its request.'),
  featureGates,
  kubeletReadOnlyPort: count(10_255, 'kube-apiserver does not use it either.', 65_535),
  kubeletTimeout: time(5_000, 'kube-apiserver does not use it either.'),
  leaseReuseDurationSeconds: count(60, 'etcd leases are shared by up to 1,000 writes, for at most a minute.'),
  livezGracePeriod: time(0, 'The port opens once the server is alive.'),
  logFlushFrequency: time(5_000, unbuffered),
  logJsonInfoBufferSize: bytes(unbuffered),
  logJsonSplitStream: toggle({ ...because('Log lines go to standard error.'), fallback: false }),
  logTextInfoBufferSize: bytes(unbuffered),
  logTextSplitStream: toggle({ ...because('Log lines go to standard error.'), fallback: false }),
  maxConnectionBytesPerSec: count(0, 'Only connections to pods and nodes would be limited.'),
  minCompatibilityVersion: texts({
    ...because(noEmulation),
    placeholder: 'VERSION',
    fallbackText: '1.35',
    check: each(matches(/^(kube=)?1\.3[3-6]$/, 'is not between 1.33 and 1.36')),
  }),
  peerAdvertiseIp: optionalText({ ...because(peers), placeholder: 'IP' }),
  peerAdvertisePort: optionalText({ ...because(peers), placeholder: 'PORT' }),
  peerCaFile: path(peers),
  profiling: toggle({ ...because(noProfiles), fallback: false }),
  runtimeConfigEmulationForwardCompatible: toggle({ ...because(noEmulation), fallback: false }),
  showHiddenMetricsForVersion: optionalText({
    ...because('No metric is hidden.'),
    placeholder: '1.35',
    check: (value) =>
      value === undefined || value === '1.35'
        ? undefined
        : '--show-hidden-metrics-for-version must be omitted or have the value 1.35',
  }),
  storageBackend: choice({ ...because('Storage is chosen with --storage.'), of: ['etcd3'], fallback: 'etcd3' }),
  storageInitializationTimeout: time(60_000, 'Caches are filled on first use.'),
  storageMediaType: choice({
    ...because('Objects are stored as JSON, which every kube-apiserver reads.'),
    of: ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/cbor'],
    fallback: 'application/json',
    placeholder: 'TYPE',
  }),
  tracingConfigFile: path('No traces are exported.'),
  vmodule: text({
    ...because('Verbosity is the same in all files.'),
    fallback: '',
    placeholder: 'PATTERN=N,…',
    check: matches(/^$|^[^=,]+=\d+(,[^=,]+=\d+)*$/, 'does not have the pattern=N format'),
  }),
  watchCache: toggle({ ...because('Reads and watches are always served from the watch cache.'), fallback: true }),
  watchCacheSizes: texts({
    ...because('The watch cache sizes itself.'),
    placeholder: 'RESOURCE#SIZE,…',
    check: each(matches(/^[^#]+#\d+$/, 'is not of the form resource[.group]#size')),
  }),
};

/** Flags of kube-apiserver that affect storage, access or signing keys: ignoring them would be unsafe, so they are rejected. */
export const refusedFlags = {
  etcdServersOverrides: texts({
    ...refused,
    placeholder: 'GROUP/RESOURCE#SERVERS,…',
    help: 'Not supported yet: all objects would be stored on --etcd-servers.',
    check: (overrides) =>
      overrides.length === 0 ? undefined : 'is not supported yet: all objects would be stored on --etcd-servers',
  }),
  serviceAccountSigningEndpoint: never(optionalText, 'tokens would be signed with another key'),
};

function never(type: typeof optionalText, consequence: string): Flag<string | undefined> {
  return type({
    ...refused,
    placeholder: 'FILE',
    help: `Not supported yet: ${consequence}.`,
    check: (value) => (value === undefined ? undefined : `is not supported yet: ${consequence}`),
  });
}

type Check<T> = (value: T) => string | undefined;

function matches(form: RegExp, complaint: string): Check<string> {
  return (value) => (form.test(value) ? undefined : complaint);
}

/** Checks the items of a list and reports the first invalid one. */
function each(check: Check<string>): Check<readonly string[]> {
  return (values) => {
    const bad = values.find((value) => check(value) !== undefined);
    return bad === undefined ? undefined : `has "${bad}", which ${check(bad)}`;
  };
}
