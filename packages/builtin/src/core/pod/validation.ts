import { type FieldErrors, type JsonObject, objectIn, objectsIn, path, textIn } from '@tsukube/machinery';
import { validateImageSpace } from '../container/containers.ts';
import { validatePodAnnotations, validateProfilesMatch } from '../pod-spec/annotations.ts';
import { validatePodSpec } from '../pod-spec/validation.ts';

const specPath = path('spec');

export function validatePodCreate(pod: JsonObject, errors: FieldErrors): void {
  const spec = pod.spec as JsonObject;
  validatePod(pod, errors);
  if (objectsIn(spec, 'ephemeralContainers').length > 0)
    errors.forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create');
  if (textIn(spec, 'nodeName') !== '' && objectsIn(spec, 'schedulingGates').length > 0)
    errors.forbidden(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared');
  validateProfilesMatch(pod.metadata as JsonObject, spec, specPath, errors);
}

/** What holds for a pod at all times. */
export function validatePod(pod: JsonObject, errors: FieldErrors): void {
  const spec = pod.spec as JsonObject;
  const metadata = pod.metadata as JsonObject;
  validatePodAnnotations(metadata, spec, path('metadata', 'annotations'), errors);
  validatePodSpec(spec, specPath, errors, metadata);
  if (textIn(spec, 'serviceAccountName') === '') refuseTokens(spec, errors);
  for (const field of ['containers', 'initContainers'])
    for (const [i, container] of objectsIn(spec, field).entries())
      validateImageSpace(container, specPath.child(field).index(i), errors);
}

function refuseTokens(spec: JsonObject, errors: FieldErrors): void {
  for (const [i, volume] of objectsIn(spec, 'volumes').entries()) {
    for (const [j, source] of objectsIn(objectIn(volume, 'projected'), 'sources').entries()) {
      if (!source.serviceAccountToken) continue;
      const at = specPath.child('volumes').index(i).child('projected', 'sources').index(j).child('serviceAccountToken');
      errors.forbidden(at, 'must not be specified when serviceAccountName is not set');
    }
  }
}
