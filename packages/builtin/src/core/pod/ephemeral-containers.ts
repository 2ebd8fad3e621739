import { byName, deepEqual, type FieldErrors, type JsonObject, mapIn, objectsIn, path, textIn } from '@tsukube/machinery';
import { containerDiff } from '../../common/internal-diff.ts';
import { keepMetadata } from './resize.ts';
import { validateAnnotationUpdate, validatePod } from './validation.ts';

const mirror = 'kubernetes.io/config.mirror';

/** Only the list of ephemeral containers is taken from the request. */
export function prepareEphemeralContainers(pod: JsonObject, old: JsonObject): void {
  const { ephemeralContainers } = pod.spec as JsonObject;
  const { ephemeralContainers: _, ...spec } = old.spec as JsonObject;
  pod.spec = ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers };
  pod.status = old.status ?? {};
  keepMetadata(pod, old);
}

/** They can be added, never taken away or changed. */
export function validateEphemeralContainersUpdate(pod: JsonObject, old: JsonObject, errors: FieldErrors): void {
  if (Object.hasOwn(mapIn(old.metadata as JsonObject, 'annotations'), mirror)) {
    errors.forbidden(path(''), 'static pods do not support ephemeral containers');
    return;
  }
  validatePod(pod, errors);
  validateAnnotationUpdate(pod, old, errors);
  const containers = objectsIn(pod.spec as JsonObject, 'ephemeralContainers');
  const at = path('spec', 'ephemeralContainers');
  const named = byName(containers);
  for (const before of objectsIn(old.spec as JsonObject, 'ephemeralContainers')) {
    const name = textIn(before, 'name');
    const now = named.get(name);
    if (!now) errors.forbidden(at, `existing ephemeral containers "${name}" may not be removed\n`);
    else if (!deepEqual(before, now)) {
      const diff = containerDiff(before, now);
      errors.forbidden(at, `existing ephemeral containers "${name}" may not be changed\n${diff}`);
    }
  }
}
