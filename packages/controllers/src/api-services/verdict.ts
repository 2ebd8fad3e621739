import { decodeObject, type ObjectRegistry } from '@tsukube/apiserver';
import { isObject, type JsonObject, type JsonValue } from '@tsukube/machinery';

export interface Verdict {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** What stands between an APIService and the service it names. */
export async function verdictOn(reference: JsonObject, services: ObjectRegistry, slices: ObjectRegistry): Promise<Verdict> {
  const namespace = String(reference.namespace);
  const name = String(reference.name);
  const called = `service/${name} in ${JSON.stringify(namespace)}`;
  const entry = await services.cache.get(services.key(namespace, name));
  if (!entry) return no('ServiceNotFound', `${called} is not present`);
  const spec = membersOf(decodeObject(entry.value).spec);
  if (spec.type === 'ClusterIP') {
    const port = listOf(spec.ports).find((each) => each.port === reference.port);
    if (!port) return no('ServicePortError', `${called} is not listening on port ${reference.port}`);
    const behind = await slicesOf(namespace, name, slices);
    if (behind.length === 0) return no('EndpointsNotFound', `cannot find endpointslices for ${called}`);
    const portName = String(port.name ?? '');
    if (!behind.some((slice) => isServing(slice, portName)))
      return no('MissingEndpoints', `endpointslices for ${called} have no addresses with port name ${JSON.stringify(portName)}`);
  }
  return no('FailedDiscoveryCheck', `failing or missing response from ${called}: requests are not passed on to services`);
}

function no(reason: string, message: string): Verdict {
  return { status: 'False', reason, message };
}

async function slicesOf(namespace: string, service: string, slices: ObjectRegistry): Promise<readonly JsonObject[]> {
  await slices.cache.fresh();
  const near = slices.cache.slice(slices.prefix(namespace));
  return near.map(({ value }) => decodeObject(value)).filter((slice) => serviceNamed(slice) === service);
}

function serviceNamed({ metadata }: JsonObject): JsonValue | undefined {
  return membersOf(membersOf(metadata).labels)['kubernetes.io/service-name'];
}

/** An endpoint that does not say whether it is ready is. */
function isServing(slice: JsonObject, portName: string): boolean {
  const hasPort = listOf(slice.ports).some((port) => (port.name ?? '') === portName);
  return hasPort && listOf(slice.endpoints).some(({ conditions }) => membersOf(conditions).ready !== false);
}

function membersOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}
