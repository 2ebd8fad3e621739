import { fillIn, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { defaultContainer } from '../container/container-defaults.ts';
import { roundRequirements, roundResources } from '../container/resource-requirements.ts';
import { defaultVolume } from '../volume/volume-defaults.ts';

export const containerFields = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Fills in what a template of pods leaves out. */
export function defaultPodTemplate(template: JsonObject): void {
  template.metadata ??= {};
  dropInitContainerAnnotations(template.metadata as JsonObject);
  template.spec ??= {};
  defaultPodSpec(template.spec as JsonObject);
}

/** What is common to pods and templates of pods. */
export function defaultPodSpec(spec: JsonObject): void {
  fillIn(spec, 'dnsPolicy', 'ClusterFirst');
  fillIn(spec, 'restartPolicy', 'Always');
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  fillIn(spec, 'schedulerName', 'default-scheduler');
  spec.containers ??= null;
  shareServiceAccount(spec);
  for (const volume of objectsIn(spec, 'volumes')) defaultVolume(volume);
  for (const field of containerFields) for (const container of objectsIn(spec, field)) defaultContainer(container);
  roundResources(objectIn(spec, 'overhead'));
  roundRequirements(objectIn(spec, 'resources'));
}

/** The service account has an old name, which says the same. */
function shareServiceAccount(spec: JsonObject): void {
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

/** Annotations that were fields before there were fields. */
export function dropInitContainerAnnotations(metadata: JsonObject): void {
  const annotations = objectIn(metadata, 'annotations');
  if (!annotations) return;
  for (const name of Object.keys(annotations)) if (initContainerAnnotations.has(name)) delete annotations[name];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}
