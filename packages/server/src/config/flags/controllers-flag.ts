import { duration, inputFile, texts } from './flag-types.ts';
import { suggestion } from './usage-error.ts';

/** Controllers of kube-controller-manager 1.36 with their deprecated aliases. */
const knownControllers: Readonly<Record<string, readonly string[]>> = {
  'bootstrap-signer-controller': ['bootstrapsigner'],
  'certificatesigningrequest-approving-controller': ['csrapproving'],
  'certificatesigningrequest-cleaner-controller': ['csrcleaner'],
  'certificatesigningrequest-signing-controller': ['csrsigning'],
  'cloud-node-lifecycle-controller': ['cloud-node-lifecycle'],
  'clusterrole-aggregation-controller': ['clusterrole-aggregation'],
  'cronjob-controller': ['cronjob'],
  'daemonset-controller': ['daemonset'],
  'deployment-controller': ['deployment'],
  'device-taint-eviction-controller': [],
  'disruption-controller': ['disruption'],
  'endpoints-controller': ['endpoint'],
  'endpointslice-controller': ['endpointslice'],
  'endpointslice-mirroring-controller': ['endpointslicemirroring'],
  'ephemeral-volume-controller': ['ephemeral-volume'],
  'garbage-collector-controller': ['garbagecollector'],
  'horizontal-pod-autoscaler-controller': ['horizontalpodautoscaling'],
  'job-controller': ['job'],
  'kube-apiserver-serving-clustertrustbundle-publisher-controller': [],
  'legacy-serviceaccount-token-cleaner-controller': ['legacy-service-account-token-cleaner'],
  'namespace-controller': ['namespace'],
  'node-ipam-controller': ['nodeipam'],
  'node-lifecycle-controller': ['nodelifecycle'],
  'node-route-controller': ['route'],
  'persistentvolume-attach-detach-controller': ['attachdetach'],
  'persistentvolume-binder-controller': ['persistentvolume-binder'],
  'persistentvolume-expander-controller': ['persistentvolume-expander'],
  'persistentvolume-protection-controller': ['pv-protection'],
  'persistentvolumeclaim-protection-controller': ['pvc-protection'],
  'pod-garbage-collector-controller': ['podgc'],
  'podcertificaterequest-cleaner-controller': [],
  'podgroup-protection-controller': [],
  'replicaset-controller': ['replicaset'],
  'replicationcontroller-controller': ['replicationcontroller'],
  'resourceclaim-controller': ['resource-claim-controller'],
  'resourcepoolstatusrequest-controller': [],
  'resourcequota-controller': ['resourcequota'],
  'root-ca-certificate-publisher-controller': ['root-ca-cert-publisher'],
  'selinux-warning-controller': [],
  'service-cidr-controller': [],
  'service-lb-controller': ['service'],
  'serviceaccount-controller': ['serviceaccount'],
  'serviceaccount-token-controller': ['serviceaccount-token'],
  'statefulset-controller': ['statefulset'],
  'storage-version-migrator-controller': ['svm'],
  'storageversion-garbage-collector-controller': ['storage-version-gc'],
  'taint-eviction-controller': [],
  'token-cleaner-controller': ['tokencleaner'],
  'ttl-after-finished-controller': ['ttl-after-finished'],
  'ttl-controller': ['ttl'],
  'validatingadmissionpolicy-status-controller': [],
  'volumeattributesclass-protection-controller': [],
  // Not of kube-controller-manager: all workload controllers and a scheduler, and that scheduler alone. `*` includes neither.
  scheduler: [],
  workloads: [],
};

const canonicalNames = new Map(
  Object.entries(knownControllers).flatMap(([name, aliases]) => [name, ...aliases].map((each) => [each, name] as const)),
);

const hour = 3_600_000;
const origin = 'kube-controller-manager';
const group = 'API';

export const controllerFlags = {
  controllers: texts({
    origin,
    group,
    fallback: ['*'],
    fallbackText: '*',
    placeholder: 'NAME,…',
    help: 'Built-in controllers to run, by the names of kube-controller-manager: * for all, NAME, or -NAME to leave one out. Empty or -*: none, as a bare kube-apiserver. `workloads` adds those of Deployments, Jobs and the like, and a scheduler, which * does not include.',
    check: controllersComplaint,
  }),
  clusterSigningCertFile: inputFile({
    origin,
    group,
    fallbackText: 'the CA of the server',
    help: 'CA certificate that signs CertificateSigningRequests. Read for each certificate.',
  }),
  clusterSigningKeyFile: inputFile({
    origin,
    group,
    fallbackText: 'the key of that CA',
    help: 'Private key of --cluster-signing-cert-file.',
  }),
  clusterSigningDuration: duration({
    origin,
    group,
    fallback: 365 * 24 * hour,
    help: 'Longest lifetime of signed certificates; spec.expirationSeconds may request less.',
  }),
};

/** Replaces aliases by the current names. */
export function canonicalControllers(entries: readonly string[]): readonly string[] {
  return entries.map((entry) => {
    const minus = entry.startsWith('-') ? '-' : '';
    const name = entry.slice(minus.length);
    return minus + (canonicalNames.get(name) ?? name);
  });
}

function controllersComplaint(entries: readonly string[]): string | undefined {
  const unknown = entries.map((entry) => entry.replace(/^-/, '')).find((name) => name !== '*' && !canonicalNames.has(name));
  if (unknown === undefined) return undefined;
  const near = suggestion(unknown, [...canonicalNames.keys()]);
  return `"${unknown}" is not in the list of known controllers${near === undefined ? '' : `, did you mean ${near}?`}`;
}
