import { admissionFlags } from './admission-flags.ts';
import { aggregatorFlags } from './aggregator-flags.ts';
import { auditFlags } from './audit-flags.ts';
import { authenticationFlags } from './authentication-flags.ts';
import { authorizationFlags } from './authorization-flags.ts';
import { controllerFlags } from './controllers-flag.ts';
import {
  choice,
  duration,
  inputFile,
  integer,
  optionalChoice,
  optionalText,
  text,
  texts,
  toggle,
  toggles,
} from './flag-types.ts';
import { ignoredFlags, refusedFlags } from './kube-apiserver-flags.ts';
import { kubeletFlags } from './kubelet-flags.ts';
import { runtimeConfigComplaint } from './runtime-config.ts';
import { clusterRangeComplaint, portRangeComplaint } from './service-ranges.ts';
import { firstProblem, servingFlags } from './serving-flags.ts';
import { sqlFlags } from './sql-flags.ts';

const minute = 60_000;

/**
 * All settings of the server, including every flag of kube-apiserver 1.36. A key becomes a flag with dashes (`--secure-port`) and
 * an environment variable in capitals (`TSUKUBE_SECURE_PORT`). Flags of kube-apiserver have the same meaning here.
 */
export const flags = {
  ...servingFlags,

  storage: optionalChoice({
    origin: 'tsukube',
    group: 'Storage',
    of: ['lmdb', 'memory', 'etcd', 'postgres', 'mysql'],
    fallbackText: 'lmdb, or etcd with --etcd-servers',
    help: 'Storage backend.',
  }),
  dataDir: optionalText({
    origin: 'tsukube',
    group: 'Storage',
    placeholder: 'DIR',
    fallbackText: '.tsukube',
    help: 'Directory of database, certificates, kubeconfig and logs.',
  }),
  unsafeNoFsync: toggle({
    origin: 'tsukube',
    group: 'Storage',
    fallback: false,
    help: 'Acknowledge writes to the embedded database before they are on the disk. For tests: a power failure may lose the database.',
  }),
  ...sqlFlags,
  etcdServers: texts({
    group: 'Storage',
    placeholder: 'URL,…',
    help: 'etcd endpoints, as scheme://host:port.',
    check: (urls) => firstProblem(urls, notAnEndpoint),
  }),
  etcdCafile: inputFile({ group: 'Storage', help: 'CA certificates of the etcd servers.' }),
  etcdCertfile: inputFile({ group: 'Storage', help: 'Client certificate for etcd.' }),
  etcdKeyfile: inputFile({ group: 'Storage', help: 'Private key of --etcd-certfile.' }),
  etcdUsername: optionalText({ origin: 'tsukube', group: 'Storage', placeholder: 'NAME', help: 'User to log in to etcd as.' }),
  etcdPasswordFile: inputFile({ origin: 'tsukube', group: 'Storage', help: 'File that holds the password of --etcd-username.' }),
  etcdPrefix: text({
    group: 'Storage',
    fallback: '/registry',
    placeholder: 'PREFIX',
    help: 'Prefix of all keys in the store.',
    check: (prefix) => (/^\/[^/].*$/.test(prefix) ? undefined : 'must start with one slash and have a name after it'),
  }),
  etcdCompactionInterval: duration({
    group: 'Storage',
    fallback: 5 * minute,
    help: 'Interval of compaction, in every storage backend; 0 never compacts.',
  }),
  encryptionProviderConfig: inputFile({
    group: 'Storage',
    help: 'EncryptionConfiguration: which resources are encrypted in the store, and with which providers and keys.',
  }),
  encryptionProviderConfigAutomaticReload: toggle({
    group: 'Storage',
    fallback: false,
    help: 'Reload --encryption-provider-config when it changes; checked every minute.',
  }),

  ...authenticationFlags,
  ...authorizationFlags,
  ...auditFlags,

  runtimeConfig: toggles({
    group: 'API',
    help: 'API versions to enable or disable: v1, GROUP/VERSION, api/all, api/ga, api/beta, api/alpha, api/legacy.',
    check: runtimeConfigComplaint,
  }),
  serviceClusterIpRange: texts({
    group: 'API',
    fallback: ['10.0.0.0/24'],
    fallbackText: '10.0.0.0/24',
    placeholder: 'CIDR,…',
    help: 'Range of ClusterIPs; a second range of the other IP family for dual-stack.',
    check: clusterRangeComplaint,
  }),
  serviceNodePortRange: text({
    group: 'API',
    fallback: '30000-32767',
    placeholder: 'FIRST-LAST',
    help: 'Range of node ports.',
    check: portRangeComplaint,
  }),
  kubernetesServiceNodePort: integer({
    group: 'API',
    fallback: 0,
    min: 0,
    max: 65535,
    placeholder: 'PORT',
    help: 'Node port of the kubernetes Service, which is then of type NodePort; 0 for type ClusterIP.',
  }),
  endpointReconcilerType: choice({
    group: 'API',
    of: ['lease', 'none'],
    fallback: 'lease',
    help: 'Reconciler of the endpoints of the kubernetes Service: the addresses of all live servers, or none.',
  }),
  eventTtl: duration({ group: 'API', fallback: 60 * minute, help: 'Lifetime of Events.' }),
  enableGarbageCollector: toggle({
    group: 'API',
    fallback: true,
    help: 'Run the garbage collector and honour propagation policies.',
  }),
  ...controllerFlags,
  simulateNodes: integer({
    origin: 'tsukube',
    group: 'API',
    fallback: 0,
    min: 0,
    max: 5000,
    placeholder: 'NUMBER',
    help: 'Simulate this many nodes: the pods assigned to them become ready, but no containers run. With --controllers=*,workloads a whole cluster is simulated.',
  }),
  metrics: toggle({
    origin: 'tsukube',
    group: 'API',
    fallback: false,
    help: 'Run a node agent, metrics-server and custom-metrics-server in this process, so that `kubectl top` works. Registers this host as a Node, and its processes as Pods.',
  }),
  enableLogsHandler: toggle({ group: 'API', fallback: false, help: 'Serve the log files of this server below /logs.' }),

  ...admissionFlags,

  ...kubeletFlags,
  ...aggregatorFlags,

  requestTimeout: duration({
    group: 'Limits',
    fallback: minute,
    help: 'Timeout of requests other than watches.',
    check: (value) => (value > 0 ? undefined : 'must be longer than 0'),
  }),
  minRequestTimeout: integer({
    group: 'Limits',
    fallback: 1800,
    min: 0,
    placeholder: 'SECONDS',
    help: 'Minimum timeout of watches without timeoutSeconds; the actual one is random, up to twice as long.',
  }),
  enablePriorityAndFairness: toggle({
    group: 'Limits',
    fallback: true,
    help: 'Enable API Priority and Fairness (FlowSchemas and PriorityLevelConfigurations).',
  }),
  maxRequestsInflight: integer({
    group: 'Limits',
    fallback: 400,
    min: 0,
    help: 'Together with --max-mutating-requests-inflight, the seats shared by the priority levels; without these, the maximum number of read-only requests in flight (0 for no limit).',
  }),
  maxRequestMemory: integer({
    group: 'Limits',
    origin: 'tsukube',
    fallback: 0,
    min: 0,
    placeholder: 'MEBIBYTES',
    fallbackText: '256, or a quarter of the heap if that is less',
    help: 'Memory for request bodies that are being read or processed, half of it for one user; beyond it the answer is 429.',
  }),
  maxMutatingRequestsInflight: integer({
    group: 'Limits',
    fallback: 200,
    min: 0,
    help: 'See --max-requests-inflight; without priority levels, the maximum number of mutating requests in flight (0 for no limit).',
  }),

  logLevel: optionalChoice({
    origin: 'tsukube',
    group: 'Logging',
    of: ['error', 'warn', 'info', 'debug'],
    fallbackText: 'warn, or what --v says',
    help: 'Minimum level of lines on standard error.',
  }),
  v: integer({
    group: 'Logging',
    short: 'v',
    fallback: 0,
    min: 0,
    help: 'Verbosity as a number: from 1 on as --log-level info, from 4 on as debug.',
  }),
  loggingFormat: choice({ group: 'Logging', of: ['text', 'json'], fallback: 'text', help: 'Format of log lines.' }),
  watchdogThreshold: duration({
    origin: 'tsukube',
    group: 'Logging',
    fallback: 5000,
    help: 'Report an event loop that is blocked for this long on standard error, with its stack; 0 for never. Only with the command.',
    check: (value) => (value === 0 || value >= 1000 ? undefined : 'must be 0 or at least 1s'),
  }),

  ...ignoredFlags,
  ...refusedFlags,
};

function notAnEndpoint(value: string): string | undefined {
  return /^(https?:\/\/)?(\[[\da-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?\/?$/.test(value)
    ? undefined
    : `has "${value}", which is not of the form scheme://host:port`;
}
