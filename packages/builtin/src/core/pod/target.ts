import { decodeObject, type ResourceRequest } from '@tsukube/apiserver';
import { type KubeObject, objectIn, objectsIn, StatusError, textIn } from '@tsukube/machinery';

/** The pod of a request. Throws 404. */
export async function podOf({ objects, info }: ResourceRequest, name: string): Promise<KubeObject> {
  const entry = await objects.cache.get(objects.key(info.namespace, name));
  if (!entry) throw StatusError.notFound({ group: '', resource: 'pods' }, name);
  return decodeObject(entry.value);
}

/** In Kubernetes' order. */
const containerLists = ['initContainers', 'containers', 'ephemeralContainers'];

/** The requested container; the only one if none is requested. Throws 400. */
export function containerOf(pod: KubeObject, asked: string): string {
  const spec = objectIn(pod, 'spec');
  const podName = textIn(objectIn(pod, 'metadata'), 'name');
  const names = containerLists.flatMap((field) => objectsIn(spec, field).map((container) => textIn(container, 'name')));
  if (asked !== '') {
    if (names.includes(asked)) return asked;
    throw StatusError.badRequest(`container ${asked} is not valid for pod ${podName}`);
  }
  const [only, another] = objectsIn(spec, 'containers');
  if (only && !another) return textIn(only, 'name');
  throw StatusError.badRequest(`a container name must be specified for pod ${podName}, choose one of: [${names.join(' ')}]`);
}

/** The node of a pod; empty if it is not scheduled. */
export function hostOf(pod: KubeObject): string {
  return textIn(objectIn(pod, 'spec'), 'nodeName');
}
