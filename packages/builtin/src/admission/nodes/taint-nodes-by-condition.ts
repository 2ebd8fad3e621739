import type { AdmissionPlugin } from '@tsukube/apiserver';
import { ensureObject, objectsIn } from '@tsukube/machinery';

const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** TaintNodesByCondition: keeps pods off a new node until it is ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate({ operation, resource, subresource, object }) {
    if (resource.names.plural !== 'nodes' || operation !== 'CREATE' || subresource !== '') return;
    if (resource.hub.group !== '' || !object) return;
    const spec = ensureObject(object, 'spec');
    const taints = objectsIn(spec, 'taints');
    if (taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) return;
    spec.taints = [...taints, { ...taint }];
  },
};
