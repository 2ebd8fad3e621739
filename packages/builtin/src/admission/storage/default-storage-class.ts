import type { AdmissionPlugin, ObjectCache } from '@tsukube/apiserver';
import { ensureObject } from '@tsukube/machinery';
import { whenFresh } from '../common/cached-objects.ts';
import { defaultClassName } from '../common/default-class.ts';
import { classOf, isClaims } from './claims.ts';

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
