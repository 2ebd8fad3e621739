import type { AdmissionPlugin } from '@tsukube/apiserver';
import { objectIn, objectsIn, StatusError, textIn } from '@tsukube/machinery';
import { isPodRequest } from '../common/plugin.ts';

const allowedKey = 'kubernetes.io/hostname';

/** LimitPodHardAntiAffinityTopology: required anti-affinity only among nodes, not among larger domains. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  validate(attributes) {
    const { operation, object } = attributes;
    if (!object || (operation !== 'CREATE' && operation !== 'UPDATE') || !isPodRequest(attributes)) return;
    const antiAffinity = objectIn(objectIn(objectIn(object, 'spec'), 'affinity'), 'podAntiAffinity');
    for (const term of objectsIn(antiAffinity, 'requiredDuringSchedulingIgnoredDuringExecution')) {
      const key = textIn(term, 'topologyKey');
      if (key === allowedKey) continue;
      const reason = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${allowedKey} is allowed`;
      throw StatusError.forbidden({ group: '', resource: 'pods' }, object.metadata.name ?? '', reason);
    }
  },
};
