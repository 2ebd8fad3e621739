import { type AdmissionPlugin, forbiddenByAdmission, type ObjectCache } from '@tsukube/apiserver';
import { ensureObject, mapIn, objectIn, textsIn } from '@tsukube/machinery';
import { defaultClassName, whenFresh } from './common/cached-objects.ts';

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

/** DenyServiceExternalIPs: no new entries in `spec.externalIPs` of Services. */
export const denyServiceExternalIPs: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  validate(attributes) {
    const { operation, resource, subresource, object, oldObject } = attributes;
    if (resource.names.plural !== 'services' || subresource !== '' || resource.hub.group !== '') return;
    if (!object || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
    const known = new Set(textsIn(objectIn(oldObject, 'spec'), 'externalIPs'));
    if (textsIn(objectIn(object, 'spec'), 'externalIPs').every((address) => known.has(address))) return;
    throw forbiddenByAdmission(attributes, 'Use of external IPs is denied by admission control');
  },
};
