import type { AdmissionPlugin, ObjectCache } from '@tsukube/apiserver';
import { type KubeObject, mapIn, objectIn, textIn } from '@tsukube/machinery';
import { peekObject, whenFresh } from '../common/cached-objects.ts';
import { addToMap, isPodRequest } from '../common/plugin.ts';

const topologyLabels = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];

/** PodTopologyLabels: a pod gets the zone and region labels of its node, when it is bound or created on it. */
export function podTopologyLabels(nodes: ObjectCache | undefined): AdmissionPlugin {
  return {
    name: 'PodTopologyLabels',
    mutate(attributes) {
      const { operation, object } = attributes;
      if (!nodes || operation !== 'CREATE' || !object) return;
      // The registry copies labels of a Binding to the pod.
      const node = isPodRequest(attributes)
        ? nodeOfPod(object)
        : isPodRequest(attributes, 'binding')
          ? nodeOfBinding(object)
          : '';
      if (node !== '') return whenFresh(nodes, () => copyLabels(object, peekObject(nodes, node)));
    },
  };
}

function nodeOfPod(pod: KubeObject): string {
  return textIn(objectIn(pod, 'spec'), 'nodeName');
}

function nodeOfBinding(binding: KubeObject): string {
  const target = objectIn(binding, 'target');
  return textIn(target, 'kind') === 'Node' ? textIn(target, 'name') : '';
}

function copyLabels({ metadata }: KubeObject, node: KubeObject | undefined): void {
  const labels = mapIn(node?.metadata, 'labels');
  const copied = topologyLabels.filter((key) => Object.hasOwn(labels, key)).map((key) => [key, labels[key] ?? '']);
  if (copied.length > 0) addToMap(metadata, 'labels', Object.fromEntries(copied));
}
