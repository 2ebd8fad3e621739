import { byName, deepEqual, type FieldErrors, type KubeObject, mapIn, objectsIn, path, textIn } from '@tsukube/machinery';
import { containerDiff } from '../../common/internal-types.ts';
import { specOf } from '../../common/objects.ts';
import { resetObjectMetaForStatus } from '../../common/status-only.ts';
import { validateAnnotationUpdate, validatePod } from './validation.ts';

const mirror = 'kubernetes.io/config.mirror';

/** Takes only spec.ephemeralContainers from the request. */
export function prepareEphemeralContainers(pod: KubeObject, old: KubeObject): void {
  const { ephemeralContainers } = specOf(pod);
  const { ephemeralContainers: _, ...spec } = specOf(old);
  pod.spec = ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers };
  pod.status = old.status ?? {};
  resetObjectMetaForStatus(pod, old);
}

/** Ephemeral containers may be added, not removed or changed. */
export function validateEphemeralContainersUpdate(pod: KubeObject, old: KubeObject, errors: FieldErrors): void {
  if (Object.hasOwn(mapIn(old.metadata, 'annotations'), mirror)) {
    errors.forbidden(path(''), 'static pods do not support ephemeral containers');
    return;
  }
  validatePod(pod, errors);
  validateAnnotationUpdate(pod, old, errors);
  const containers = objectsIn(specOf(pod), 'ephemeralContainers');
  const at = path('spec', 'ephemeralContainers');
  const named = byName(containers);
  for (const before of objectsIn(specOf(old), 'ephemeralContainers')) {
    const name = textIn(before, 'name');
    const now = named.get(name);
    if (!now) errors.forbidden(at, `existing ephemeral containers "${name}" may not be removed\n`);
    else if (!deepEqual(before, now)) {
      const diff = containerDiff(before, now);
      errors.forbidden(at, `existing ephemeral containers "${name}" may not be changed\n${diff}`);
    }
  }
}
