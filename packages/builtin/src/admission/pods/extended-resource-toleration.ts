import type { AdmissionPlugin } from '@tsukube/apiserver';
import { ensureObject, type JsonObject, mapIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { isExtendedResource } from '../../core/container/resource-requirements.ts';
import { isPodRequest } from '../common/plugin.ts';

/** ExtendedResourceToleration: a pod tolerates the taints that reserve nodes for the extended resources it requests. */
export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  mutate(attributes) {
    const { operation, object } = attributes;
    if (!object || (operation !== 'CREATE' && operation !== 'UPDATE') || !isPodRequest(attributes)) return;
    const spec = ensureObject(object, 'spec');
    const names = [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')].flatMap((container) =>
      Object.keys(mapIn(objectIn(container, 'resources'), 'requests')).filter(isExtendedResource),
    );
    for (const key of [...new Set(names)].sort()) tolerate(spec, { key, operator: 'Exists', effect: 'NoSchedule' });
  },
};

/** Replaces tolerations that match the same taints, or adds one. */
function tolerate(spec: JsonObject, toleration: JsonObject): void {
  const all = objectsIn(spec, 'tolerations');
  const isSame = (other: JsonObject) =>
    ['key', 'operator', 'effect', 'value'].every((field) => textIn(other, field) === textIn(toleration, field));
  spec.tolerations = all.some(isSame) ? all.map((each) => (isSame(each) ? { ...toleration } : each)) : [...all, toleration];
}
