import { deepEqual, type JsonObject, mapIn, objectIn, objectsIn, path, textIn } from '@tsukube/machinery';
import { containerFields } from '../pod-spec/defaults.ts';

const prefix = 'container.apparmor.security.beta.kubernetes.io/';
const localhost = 'localhost/';

/** What was said only by annotation, until it has been warned of. */
const copied = new WeakMap<JsonObject, readonly string[]>();

/** Annotations of the past become the fields that have replaced them. */
export function copyAppArmorAnnotations(pod: JsonObject): void {
  const annotations = mapIn(pod.metadata as JsonObject, 'annotations');
  const spec = pod.spec as JsonObject;
  if (objectIn(spec, 'os')?.name === 'windows' || !Object.keys(annotations).some((key) => key.startsWith(prefix))) return;
  const ofPod = objectIn(objectIn(spec, 'securityContext'), 'appArmorProfile');
  const warnings: string[] = [];
  for (const field of containerFields) {
    for (const container of objectsIn(spec, field)) {
      const key = prefix + textIn(container, 'name');
      const annotation = annotations[key];
      if (annotation === undefined || objectIn(container, 'securityContext')?.appArmorProfile !== undefined) continue;
      const profile = profileOf(annotation);
      if (profile && deepEqual(profile, ofPod)) continue;
      if (profile) container.securityContext = { ...objectIn(container, 'securityContext'), appArmorProfile: profile };
      const at = path('metadata', 'annotations').key(key);
      warnings.push(`${at}: deprecated since v1.30; use the "appArmorProfile" field instead`);
    }
  }
  copied.set(pod, warnings);
}

export function appArmorWarnings(pod: JsonObject): readonly string[] {
  return copied.get(pod) ?? [];
}

function profileOf(annotation: string): JsonObject | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const name = annotation.startsWith(localhost) ? annotation.slice(localhost.length) : '';
  return name === '' || name.trim() !== name ? undefined : { type: 'Localhost', localhostProfile: name };
}
