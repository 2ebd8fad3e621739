import type { AdmissionPlugin, ObjectCache } from '@tsukube/apiserver';
import { ensureObject, mapIn, objectIn } from '@tsukube/machinery';
import { whenFresh } from '../common/cached-objects.ts';
import { defaultClassName } from '../common/default-class.ts';

const classAnnotation = 'kubernetes.io/ingress.class';
const annotations = ['ingressclass.kubernetes.io/is-default-class'];

/** DefaultIngressClass: Ingresses without a class get the default one. `classes` is undefined if IngressClasses are not served. */
export function defaultIngressClass(classes: ObjectCache | undefined): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    mutate({ operation, resource, subresource, object }) {
      if (resource.names.plural !== 'ingresses' || operation !== 'CREATE' || subresource !== '') return;
      if (!classes || !object || resource.hub.group !== 'networking.k8s.io') return;
      if (objectIn(object, 'spec')?.ingressClassName !== undefined) return;
      if (Object.hasOwn(mapIn(object.metadata, 'annotations'), classAnnotation)) return;
      return whenFresh(classes, () => {
        const name = defaultClassName(classes, annotations);
        if (name !== undefined) ensureObject(object, 'spec').ingressClassName = name;
      });
    },
  };
}
