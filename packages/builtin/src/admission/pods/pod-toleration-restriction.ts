import type { AdmissionAttributes, AdmissionPlugin, ObjectCache } from '@tsukube/apiserver';
import {
  cannotUnmarshal,
  ensureObject,
  FieldErrors,
  isObject,
  type JsonObject,
  type KubeObject,
  objectIn,
  objectsIn,
  parseJson,
  path,
  textIn,
} from '@tsukube/machinery';
import { qosClassOf } from '../../core/pod/qos.ts';
import { validateTolerations } from '../../core/pod-spec/scheduling.ts';
import { peekObject, whenFresh } from '../common/cached-objects.ts';
import { requireConfigurationType } from '../common/configuration.ts';
import { isPodRequest, unknownError } from '../common/plugin.ts';
import { areCovered, mergeTolerations } from './merge-tolerations.ts';

const defaultsAnnotation = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const allowedAnnotation = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const memoryPressure = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };

type Tolerations = readonly JsonObject[];

interface ClusterTolerations {
  readonly defaults: Tolerations;
  readonly allowed: Tolerations;
}

/**
 * PodTolerationRestriction: pods get the default tolerations of their namespace or cluster, and may have only the tolerations
 * allowed there.
 */
export function podTolerationRestriction(
  namespaces: ObjectCache | undefined,
  configuration: JsonObject | undefined,
): AdmissionPlugin {
  const cluster = clusterTolerations(configuration);
  const run = (attributes: AdmissionAttributes, act: (pod: KubeObject, namespace: KubeObject | undefined) => void) => {
    const { operation, object, namespace } = attributes;
    if (!object || (operation !== 'CREATE' && operation !== 'UPDATE') || !isPodRequest(attributes)) return;
    return whenFresh(namespaces, () => act(object, peekObject(namespaces, namespace)));
  };
  return {
    name: 'PodTolerationRestriction',
    mutate: (attributes) =>
      run(attributes, (pod, namespace) => {
        addTolerations(
          pod,
          attributes.operation === 'CREATE' ? (tolerationsIn(namespace, defaultsAnnotation) ?? cluster.defaults) : [],
        );
        requireAllowed(pod, namespace, cluster.allowed);
      }),
    validate: (attributes) => run(attributes, (pod, namespace) => requireAllowed(pod, namespace, cluster.allowed)),
  };
}

function clusterTolerations(configuration: JsonObject | undefined): ClusterTolerations {
  if (!configuration) return { defaults: [], allowed: [] };
  requireConfigurationType(configuration, ['podtolerationrestriction.admission.k8s.io/v1alpha1']);
  const [defaults, allowed] = [objectsIn(configuration, 'default'), objectsIn(configuration, 'whitelist')];
  const errors = new FieldErrors();
  validateTolerations(defaults, path('podtolerationrestriction', 'default'), errors);
  validateTolerations(allowed, path('podtolerationrestriction', 'whitelist'), errors);
  if (errors.length > 0)
    throw new Error(`invalid config: [${errors.list.map(({ field, body }) => `${field}: ${body}`).join(' ')}]`);
  return { defaults, allowed };
}

/** Pods that request resources also tolerate memory pressure. */
function addTolerations(pod: KubeObject, defaults: Tolerations): void {
  const spec = ensureObject(pod, 'spec');
  const isBestEffort = (textIn(objectIn(pod, 'status'), 'qosClass') || qosClassOf(spec)) === 'BestEffort';
  const added = isBestEffort ? defaults : [...defaults, { ...memoryPressure }];
  if (added.length > 0) spec.tolerations = mergeTolerations(objectsIn(spec, 'tolerations'), added);
}

function requireAllowed(pod: KubeObject, namespace: KubeObject | undefined, ofCluster: Tolerations): void {
  const tolerations = objectsIn(objectIn(pod, 'spec'), 'tolerations');
  if (tolerations.length === 0) return;
  const ofNamespace = tolerationsIn(namespace, allowedAnnotation);
  const allowed = ofNamespace ?? ofCluster;
  if (allowed.length === 0 || areCovered(tolerations, allowed)) return;
  const scope = ofNamespace ? 'namespace' : 'cluster';
  throw unknownError(`pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`);
}

/** Tolerations in an annotation of a namespace; undefined without the annotation. */
function tolerationsIn(namespace: KubeObject | undefined, annotation: string): Tolerations | undefined {
  const text = namespace?.metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  if (text === '') return [];
  const value = parsed(text);
  if (value === null) return [];
  if (!Array.isArray(value)) throw unknownError(cannotUnmarshal(value, '[]v1.Toleration'));
  return value.map((each) => {
    if (!isObject(each)) throw unknownError(cannotUnmarshal(each, 'v1.Toleration'));
    return each;
  });
}

function parsed(text: string) {
  try {
    return parseJson(Buffer.from(text)).value;
  } catch (error) {
    throw unknownError((error as Error).message);
  }
}
