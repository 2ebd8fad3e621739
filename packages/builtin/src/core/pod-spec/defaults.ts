import { fillIn, type JsonObject, metadataOf, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { specOf } from '../../common/objects.ts';
import { defaultContainer } from '../container/container-defaults.ts';
import { roundRequirements, roundResources } from '../container/resource-requirements.ts';
import { defaultVolume } from '../volume/volume-defaults.ts';

export const containerFields = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Defaults of a pod template. */
export function defaultPodTemplate(template: JsonObject): void {
  template.metadata ??= {};
  dropInitContainerAnnotations(metadataOf(template));
  template.spec ??= {};
  defaultPodSpec(specOf(template));
}

/** Defaults shared by pods and pod templates. */
export function defaultPodSpec(spec: JsonObject): void {
  fillIn(spec, 'dnsPolicy', 'ClusterFirst');
  fillIn(spec, 'restartPolicy', 'Always');
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  fillIn(spec, 'schedulerName', 'default-scheduler');
  spec.containers ??= null;
  defaultServiceAccountAlias(spec);
  for (const volume of objectsIn(spec, 'volumes')) defaultVolume(volume);
  for (const field of containerFields) for (const container of objectsIn(spec, field)) defaultContainer(container);
  roundResources(objectIn(spec, 'overhead'));
  roundRequirements(objectIn(spec, 'resources'));
}

/** `serviceAccount` is the deprecated alias of `serviceAccountName`. */
function defaultServiceAccountAlias(spec: JsonObject): void {
  const name = textIn(spec, 'serviceAccountName') || textIn(spec, 'serviceAccount');
  if (name === '') return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

const initContainerAnnotations = new Set([
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
]);

/** Alpha and beta annotations from before init containers were a field. */
export function dropInitContainerAnnotations(metadata: JsonObject): void {
  const annotations = objectIn(metadata, 'annotations');
  if (!annotations) return;
  for (const name of Object.keys(annotations)) if (initContainerAnnotations.has(name)) delete annotations[name];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}
