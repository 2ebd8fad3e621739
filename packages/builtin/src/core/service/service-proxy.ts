import { decodeObject, type ResourceRequest } from '@tsukube/apiserver';
import { objectsIn, StatusError } from '@tsukube/machinery';
import { notReachable, splitName } from '../../common/proxy-subresource.ts';

/** Where a service leads is written in its endpoints. */
export async function proxyToService(request: ResourceRequest): Promise<never> {
  const { name } = splitName(request.info.name);
  const endpoints = request.objectsOf('', 'endpoints');
  const found = await endpoints?.cache.get(endpoints.key(request.info.namespace, name));
  if (!found) throw StatusError.notFound({ group: '', resource: 'services' }, name);
  const ready = objectsIn(decodeObject(found.value), 'subsets').some((subset) => objectsIn(subset, 'addresses').length > 0);
  if (!ready) throw StatusError.serviceUnavailable(`no endpoints available for service ${JSON.stringify(request.info.name)}`);
  throw notReachable(request, 'an endpoint of the service');
}

export async function proxyToNode(request: ResourceRequest): Promise<never> {
  const { name } = splitName(request.info.name);
  if (!(await request.objects.cache.get(request.objects.key('', name))))
    throw StatusError.notFound({ group: '', resource: 'nodes' }, name);
  throw notReachable(request, 'the node');
}
