import {
  type DeletionPlan,
  type DeletionRequest,
  type Resource,
  type ServedVersion,
  type Strategy,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  isDNS1123Label,
  type JsonObject,
  type KubeObject,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  warningsForIP,
} from '@tsukube/machinery';
import { specOf } from '../../common/objects.ts';
import { schemaOf } from '../../common/schema.ts';
import { podSpecWarnings } from '../pod-spec/warnings.ts';
import { podBinding } from './binding.ts';
import { podColumns, podRowConditions } from './columns.ts';
import { preparePod } from './creation.ts';
import { defaultPod } from './defaults.ts';
import { prepareEphemeralContainers, validateEphemeralContainersUpdate } from './ephemeral-containers.ts';
import { podEviction } from './eviction.ts';
import { prepareResize, validateResize } from './resize.ts';
import { preparePodStatus, validatePodStatusUpdate } from './status.ts';
import { validatePodCreate, validatePodUpdate } from './validation.ts';

const inSpec = (field: string) => (pod: KubeObject) => textIn(objectIn(pod, 'spec'), field);
const inStatus = (field: string) => (pod: KubeObject) => textIn(objectIn(pod, 'status'), field);

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Pod'),
  columns: podColumns,
  rowConditions: podRowConditions,
  selectableFields: {
    'spec.nodeName': inSpec('nodeName'),
    'spec.host': inSpec('nodeName'),
    'spec.restartPolicy': inSpec('restartPolicy'),
    'spec.schedulerName': inSpec('schedulerName'),
    'spec.serviceAccountName': inSpec('serviceAccountName'),
    'spec.hostNetwork': (pod) => String(objectIn(pod, 'spec')?.hostNetwork === true),
    'status.phase': inStatus('phase'),
    'status.podIP': (pod) => textIn(objectsIn(objectIn(pod, 'status'), 'podIPs')[0], 'ip'),
    // A valid field selector that never matches.
    'status.podIPs': () => '',
    'status.nominatedNodeName': inStatus('nominatedNodeName'),
  },
};

const { get, update, patch } = storedVerbs;
const verbs = { get, update, patch };

const strategy: Strategy = {
  generation: true,
  returnDeletedObject: true,
  applyDefaults: defaultPod,
  prepareForCreate: (pod, _user, _version, warn) => preparePod(pod, warn),
  prepareForUpdate(pod, old) {
    pod.status = old.status ?? {};
  },
  validateCreate: validatePodCreate,
  validateUpdate: validatePodUpdate,
  warnings: podWarnings,
  beginDelete: beginPodDeletion,
};

/** Without the subresources that need an authorizer: see `kubeletSubresources`. */
export const pod: Resource = {
  names: { plural: 'pods', singular: 'pod', kind: 'Pod', listKind: 'PodList', shortNames: ['po'], categories: ['all'] },
  scope: 'Namespaced',
  storagePrefix: '/registry/pods',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy,
  subresources: {
    binding: podBinding,
    eviction: podEviction,
    ephemeralcontainers: {
      verbs,
      strategy: {
        prepareForUpdate: prepareEphemeralContainers,
        validateUpdate: validateEphemeralContainersUpdate,
      },
    },
    resize: {
      verbs,
      strategy: { prepareForUpdate: prepareResize, validateUpdate: validateResize },
    },
    status: {
      verbs,
      strategy: {
        resetFields: { 'f:spec': {}, 'f:metadata': { 'f:deletionTimestamp': {}, 'f:ownerReferences': {} } },
        prepareForUpdate: preparePodStatus,
        validateUpdate: validatePodStatusUpdate,
        warnings: statusWarnings,
      },
    },
  },
};

/** Graceful deletion: a scheduled pod gets its termination grace period. */
function beginPodDeletion(pod: KubeObject, request: DeletionRequest): DeletionPlan {
  const metadata = pod.metadata;
  if (metadata.deletionTimestamp !== undefined) return continueDeletion(metadata, request);
  return { kind: 'graceful', seconds: graceOf(pod, request) };
}

/** The remaining grace period can only be shortened. */
function continueDeletion(metadata: JsonObject, { gracePeriodSeconds: requested }: DeletionRequest): DeletionPlan {
  if (numberIn(metadata, 'deletionGracePeriodSeconds') === 0) return { kind: 'now' };
  if (requested === undefined || requested >= numberIn(metadata, 'deletionGracePeriodSeconds')) return { kind: 'waiting' };
  return { kind: 'graceful', seconds: requested };
}

function graceOf(pod: KubeObject, { gracePeriodSeconds: requested }: DeletionRequest): number {
  const spec = objectIn(pod, 'spec');
  const phase = textIn(objectIn(pod, 'status'), 'phase');
  if (textIn(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  const seconds = requested ?? numberIn(spec, 'terminationGracePeriodSeconds');
  return seconds < 0 ? 1 : seconds;
}

/** Only on create: updates of pods are frequent and come from controllers. */
function podWarnings(pod: KubeObject, old: KubeObject | undefined): readonly string[] {
  if (old) return [];
  const metadata = pod.metadata;
  const problems = isDNS1123Label(textIn(metadata, 'name'));
  const hint =
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  const named = problems.length === 0 ? [] : [`${hint}: [${problems.join(' ')}]`];
  return [...named, ...podSpecWarnings(specOf(pod), metadata)];
}

function statusWarnings(pod: KubeObject): readonly string[] {
  const status = objectIn(pod, 'status');
  return ['podIPs', 'hostIPs'].flatMap((list) =>
    objectsIn(status, list).flatMap((entry, i) => warningsForIP(textIn(entry, 'ip'), path('status', list).index(i).child('ip'))),
  );
}
