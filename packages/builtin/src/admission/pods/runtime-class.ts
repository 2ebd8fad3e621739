import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  decodeObject,
  forbiddenByAdmission,
  type ObjectCache,
} from '@tsukube/apiserver';
import { deepEqual, ensureObject, type JsonObject, mapIn, objectIn, objectsIn } from '@tsukube/machinery';
import { addToMap, isPodRequest } from '../common/plugin.ts';
import { mergeTolerations } from './merge-tolerations.ts';

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/** RuntimeClass: adds overhead and scheduling constraints of the class. `classes` is undefined if RuntimeClasses are not served. */
export function runtimeClassAdmission(classes: ObjectCache | undefined): AdmissionPlugin {
  const afterReading = (attributes: AdmissionAttributes, act: () => void) => {
    if (attributes.operation !== 'CREATE' || !attributes.object || !isPodRequest(attributes)) return;
    const named = specOf(attributes).runtimeClassName !== undefined;
    const waiting = named ? classes?.fresh() : undefined;
    return waiting ? waiting.then(act) : act();
  };
  return {
    name: 'RuntimeClass',
    mutate: (attributes) => afterReading(attributes, () => complete(attributes, classes)),
    validate: (attributes) => afterReading(attributes, () => check(attributes, classes)),
  };
}

function specOf({ object }: AdmissionAttributes): JsonObject {
  return object ? ensureObject(object, 'spec') : {};
}

function classOf(attributes: AdmissionAttributes, classes: ObjectCache | undefined): JsonObject | undefined {
  const { runtimeClassName: name } = specOf(attributes);
  if (typeof name !== 'string') return undefined;
  const entry = classes?.peek(`${classes.prefix}${name}`);
  if (!entry) throw forbiddenByAdmission(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return decodeObject(entry.value);
}

function complete(attributes: AdmissionAttributes, classes: ObjectCache | undefined): void {
  const found = classOf(attributes, classes);
  const spec = specOf(attributes);
  const overhead = objectIn(found, 'overhead');
  if (overhead) {
    const { podFixed } = overhead;
    const isSet = Object.keys(mapIn(spec, 'overhead')).length > 0;
    if (isSet && !deepEqual(spec.overhead, podFixed)) throw forbiddenByAdmission(attributes, mismatch);
    if (podFixed === undefined) delete spec.overhead;
    else spec.overhead = podFixed;
  }
  const scheduling = objectIn(found, 'scheduling');
  if (!scheduling) return;
  mergeNodeSelector(attributes, spec, mapIn(scheduling, 'nodeSelector'));
  const tolerations = mergeTolerations(objectsIn(spec, 'tolerations'), objectsIn(scheduling, 'tolerations'));
  if (tolerations.length > 0) spec.tolerations = tolerations;
}

function mergeNodeSelector(attributes: AdmissionAttributes, spec: JsonObject, added: Readonly<Record<string, string>>): void {
  const own = mapIn(spec, 'nodeSelector');
  for (const [key, value] of Object.entries(added)) {
    if (!Object.hasOwn(own, key) || own[key] === value) continue;
    const reason = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own[key]}`;
    throw forbiddenByAdmission(attributes, reason);
  }
  addToMap(spec, 'nodeSelector', added);
}

function check(attributes: AdmissionAttributes, classes: ObjectCache | undefined): void {
  const overhead = objectIn(classOf(attributes, classes), 'overhead');
  const spec = specOf(attributes);
  if (overhead && !deepEqual(spec.overhead, overhead.podFixed)) throw forbiddenByAdmission(attributes, mismatch);
  if (!overhead && spec.overhead !== undefined)
    throw forbiddenByAdmission(attributes, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
}
