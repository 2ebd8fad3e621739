import type { AdmissionAttributes } from '@tsukube/apiserver';
import { type JsonObject, mapIn, metadataOf, objectIn, textIn } from '@tsukube/machinery';

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

export function isClaims({ resource, subresource }: AdmissionAttributes): boolean {
  return resource.names.plural === 'persistentvolumeclaims' && resource.hub.group === '' && subresource === '';
}

/** The StorageClass that a claim names; undefined if it names none. The annotation precedes the field. */
export function classOf(claim: JsonObject): string | undefined {
  const annotations = mapIn(metadataOf(claim), 'annotations');
  if (Object.hasOwn(annotations, classAnnotation)) return annotations[classAnnotation];
  const spec = objectIn(claim, 'spec');
  return spec?.storageClassName === undefined ? undefined : textIn(spec, 'storageClassName');
}
