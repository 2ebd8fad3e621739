import { type AdmissionPlugin, forbiddenByAdmission } from '@tsukube/apiserver';
import { objectIn, textsIn } from '@tsukube/machinery';

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
