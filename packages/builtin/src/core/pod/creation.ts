import {
  deepEqual,
  type JsonObject,
  type KubeObject,
  mapIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { setCondition } from '../../common/conditions.ts';
import { specOf } from '../../common/objects.ts';
import { containerFields } from '../pod-spec/defaults.ts';
import { qosClassOf } from './qos.ts';

/** Resets the status, expands label keys and copies AppArmor annotations to fields. */
export function preparePod(pod: KubeObject, warn?: (message: string) => void): void {
  const spec = specOf(pod);
  const status: JsonObject = { phase: 'Pending', qosClass: qosClassOf(spec) };
  pod.status = status;
  if (objectsIn(spec, 'schedulingGates').length > 0) {
    setCondition(status, {
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    });
  }
  expandLabelKeys(spec, mapIn(pod.metadata, 'labels'));
  copyAppArmorAnnotations(pod, warn);
}

/** Expands matchLabelKeys and mismatchLabelKeys to expressions with the labels of the pod. */
function expandLabelKeys(spec: JsonObject, labels: Readonly<Record<string, string>>): void {
  const affinity = objectIn(spec, 'affinity');
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const terms = objectIn(affinity, kind);
    for (const weighted of objectsIn(terms, 'preferredDuringSchedulingIgnoredDuringExecution'))
      mergeLabelKeys(objectIn(weighted, 'podAffinityTerm'), labels);
    for (const term of objectsIn(terms, 'requiredDuringSchedulingIgnoredDuringExecution')) mergeLabelKeys(term, labels);
  }
  for (const constraint of objectsIn(spec, 'topologySpreadConstraints')) mergeLabelKeys(constraint, labels);
}

function mergeLabelKeys(term: JsonObject | undefined, labels: Readonly<Record<string, string>>): void {
  const selector = objectIn(term, 'labelSelector');
  if (!selector) return;
  const added = [
    ...expressions(textsIn(term, 'matchLabelKeys'), 'In', labels),
    ...expressions(textsIn(term, 'mismatchLabelKeys'), 'NotIn', labels),
  ];
  if (added.length > 0) selector.matchExpressions = [...objectsIn(selector, 'matchExpressions'), ...added];
}

function expressions(keys: readonly string[], operator: string, labels: Readonly<Record<string, string>>): JsonObject[] {
  return keys.filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key] ?? ''] }));
}

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const localhost = 'localhost/';

/** Copies the deprecated AppArmor annotations to the fields that replaced them, with a warning for each. */
function copyAppArmorAnnotations(pod: KubeObject, warn?: (message: string) => void): void {
  const annotations = mapIn(pod.metadata, 'annotations');
  const spec = specOf(pod);
  if (objectIn(spec, 'os')?.name === 'windows' || !Object.keys(annotations).some((key) => key.startsWith(appArmorPrefix))) return;
  const ofPod = objectIn(objectIn(spec, 'securityContext'), 'appArmorProfile');
  for (const field of containerFields) {
    for (const container of objectsIn(spec, field)) {
      const key = appArmorPrefix + textIn(container, 'name');
      const annotation = annotations[key];
      if (annotation === undefined || objectIn(container, 'securityContext')?.appArmorProfile !== undefined) continue;
      const profile = profileOf(annotation);
      if (profile && deepEqual(profile, ofPod)) continue;
      if (profile) container.securityContext = { ...objectIn(container, 'securityContext'), appArmorProfile: profile };
      const at = path('metadata', 'annotations').key(key);
      warn?.(`${at}: deprecated since v1.30; use the "appArmorProfile" field instead`);
    }
  }
}

function profileOf(annotation: string): JsonObject | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const name = annotation.startsWith(localhost) ? annotation.slice(localhost.length) : '';
  return name === '' || name.trim() !== name ? undefined : { type: 'Localhost', localhostProfile: name };
}
