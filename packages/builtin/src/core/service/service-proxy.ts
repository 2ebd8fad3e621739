import { decodeObject, type ResourceRequest } from '@tsukube/apiserver';
import { goQuote, type JsonObject, type KubeObject, objectIn, objectsIn, StatusError, textIn } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { proxyTo, splitSchemeNamePort } from '../../common/proxy-subresource.ts';

/** Forwards a request to a pod behind the service. */
export async function proxyToService(request: ResourceRequest): Promise<Answer> {
  const { info } = request;
  const { scheme, name, port } = splitSchemeNamePort(info.name, 'service');
  const portName = /^[+-]?\d+$/.test(port) ? await nameOfPort(request, name, Number(port)) : port;
  const subsets = objectsIn(await stored(request, 'endpoints', name), 'subsets');
  if (subsets.length === 0) throw StatusError.serviceUnavailable(`no endpoints available for service ${goQuote(name)}`);
  for (const subset of shuffledFrom(subsets, request.objects.random)) {
    const found = objectsIn(subset, 'ports').find((each) => textIn(each, 'name') === portName);
    const host = found && (await addressIn(request, subset));
    if (host !== undefined) return proxyTo(request, { scheme: scheme || 'http', host, port: String(found?.port) });
  }
  throw StatusError.serviceUnavailable(`no endpoints available for service ${goQuote(info.name)}`);
}

async function nameOfPort(request: ResourceRequest, name: string, number: number): Promise<string> {
  const service = await stored(request, 'services', name);
  const port = objectsIn(objectIn(service, 'spec'), 'ports').find((each) => each.port === number);
  if (!port) throw StatusError.serviceUnavailable(`no service port ${number} found for service ${goQuote(name)}`);
  return textIn(port, 'name');
}

/** The object in the namespace of the request. Throws 404: the message names services, as in Kubernetes. */
async function stored({ objectsOf, info }: ResourceRequest, resource: string, name: string): Promise<KubeObject> {
  const objects = objectsOf('', resource);
  const entry = objects && (await objects.cache.get(objects.key(info.namespace, name)));
  if (!entry) throw StatusError.notFound({ group: '', resource: 'services' }, name);
  return decodeObject(entry.value);
}

/** An address that belongs to a pod: others might be written by users to reach hosts that they must not. */
async function addressIn(request: ResourceRequest, subset: JsonObject): Promise<string | undefined> {
  for (const address of shuffledFrom(objectsIn(subset, 'addresses'), request.objects.random)) {
    const ip = textIn(address, 'ip');
    if (await isOfPod(request, objectIn(address, 'targetRef'), ip)) return ip;
  }
  return undefined;
}

async function isOfPod({ objectsOf, info }: ResourceRequest, target: JsonObject | undefined, ip: string): Promise<boolean> {
  if (!target || textIn(target, 'namespace') !== info.namespace) return false;
  const pods = objectsOf('', 'pods');
  const entry = pods && (await pods.cache.get(pods.key(info.namespace, textIn(target, 'name'))));
  return entry !== undefined && objectsIn(objectIn(decodeObject(entry.value), 'status'), 'podIPs').some((each) => each.ip === ip);
}

/** All items, beginning with a random one. */
function shuffledFrom<T>(items: readonly T[], random: () => number): readonly T[] {
  const start = Math.floor(random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
