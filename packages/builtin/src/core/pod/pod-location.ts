import { decodeObject, type ResourceRequest } from '@tsukube/apiserver';
import { type JsonObject, objectIn, objectsIn, StatusError, textIn } from '@tsukube/machinery';

/** The pod that is meant. Its name may stand between a scheme and a port. */
export async function podOf(request: ResourceRequest, name = request.info.name): Promise<JsonObject> {
  const { objects, info } = request;
  const entry = await objects.cache.get(objects.key(info.namespace, name));
  if (!entry) throw StatusError.notFound({ group: '', resource: 'pods' }, name);
  return decodeObject(entry.value);
}

/** Init containers first, as Kubernetes goes through them. */
const containerLists = ['initContainers', 'containers', 'ephemeralContainers'];

/** The container that is meant; the only one if none is named. Fails with 400. */
export function containerOf(pod: JsonObject, asked: string): string {
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

export function hostOf(pod: JsonObject): string {
  return textIn(objectIn(pod, 'spec'), 'nodeName');
}

/** Fails with 404, in the words of Kubernetes: it looks for the node as if it were a pod. */
export async function checkNode({ objectsOf }: ResourceRequest, name: string): Promise<void> {
  const nodes = objectsOf('', 'nodes');
  if (!(await nodes?.cache.get(nodes.key('', name)))) throw StatusError.notFound({ group: '', resource: 'pods' }, name);
}
