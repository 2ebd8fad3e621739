import type { AdmissionAttributes, AdmissionPlugin, ObjectCache } from '@tsukube/apiserver';
import { ensureObject, type JsonObject, mapIn, metadataOf, objectIn, textIn } from '@tsukube/machinery';
import { defaultClassName, whenFresh } from '../common/cached-objects.ts';

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

const annotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** DefaultStorageClass: claims without a class get the default one. `classes` is undefined if StorageClasses are not served. */
export function defaultStorageClass(classes: ObjectCache | undefined): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    mutate(attributes) {
      const { operation, object } = attributes;
      if (!classes || operation !== 'CREATE' || !object || !isClaims(attributes) || classOf(object) !== undefined) return;
      return whenFresh(classes, () => {
        const name = defaultClassName(classes, annotations);
        if (name !== undefined) ensureObject(object, 'spec').storageClassName = name;
      });
    },
  };
}
