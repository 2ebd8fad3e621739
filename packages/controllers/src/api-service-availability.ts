import {
  type CacheEntry,
  decodeObject,
  follow,
  nameOfKey,
  type ObjectRegistry,
  settleRaces,
  updateExisting,
  WorkQueue,
} from '@tsukube/apiserver';
import { formatTime, isObject, type JsonObject, type JsonValue, type KubeObject, objectIn, objectsIn } from '@tsukube/machinery';
import { type ControllerContext, type RunningController, registryNamed, writeAs } from './controller.ts';

/** Backends that answered are asked again after this time; those that did not, with the backoff of the queue. */
const recheckMs = 30_000;
/** Endpoints are not watched: most Services have EndpointSlices. */
const endpointsMs = 2000;

/** Sets the condition Available of every APIService. Those without a Service are always available. */
export function apiServiceAvailability(context: ControllerContext): RunningController {
  const apiServices = registryNamed(context, 'apiservices');
  const services = registryNamed(context, 'services');
  const slices = registryNamed(context, 'endpointslices');

  const reconcile = async (name: string): Promise<void> => {
    const entry = await apiServices.cache.get(apiServices.key('', name));
    if (!entry) return;
    const object = decodeObject(entry.value);
    const reference = referenceOf(object);
    if (!reference) return isLocal(object) ? undefined : updateCondition(apiServices, name, local, context.now());
    const registries = { services, slices, endpoints: endpointsOf(context) };
    const availability = (await checkService(reference, registries)) ?? (await checkBackend(entry, context));
    await updateCondition(apiServices, name, availability, context.now());
    if (availability.reason === 'FailedDiscoveryCheck') throw new Error(availability.message);
    if (availability.status === 'True') queue.addAfter(name, recheckMs);
    if (availability.reason === 'EndpointsNotFound') queue.addAfter(name, endpointsMs);
  };

  const queue = new WorkQueue((name) => settleRaces(() => reconcile(name)), context.logger);
  const enqueueBackedBy = (key: string) => {
    for (const name of apiServicesBackedBy(apiServices, key)) queue.add(name);
  };
  const stops = [
    follow(apiServices.cache, ({ key }) => queue.add(nameOfKey(apiServices.resource, key).name)),
    follow(services.cache, ({ key }) => enqueueBackedBy(namespacedName(services, key))),
    follow(slices.cache, (entry) => enqueueBackedBy(serviceOfSlice(decodeObject(entry.value)))),
  ];
  return {
    stop() {
      queue.stop();
      for (const stop of stops) stop();
    },
  };
}

function referenceOf({ spec }: JsonObject): JsonObject | undefined {
  return isObject(spec) && isObject(spec.service) ? spec.service : undefined;
}

function isLocal({ status }: JsonObject): boolean {
  const available = objectsIn(isObject(status) ? status : undefined, 'conditions').find(({ type }) => type === 'Available');
  return available?.status === local.status && available.reason === local.reason;
}

function endpointsOf({ resources, registryOf }: ControllerContext): ObjectRegistry | undefined {
  const found = resources.find(({ names, hub }) => names.plural === 'endpoints' && hub.group === '');
  return found && registryOf(found);
}

function namespacedName(registry: ObjectRegistry, key: string): string {
  const { namespace, name } = nameOfKey(registry.resource, key);
  return `${namespace}/${name}`;
}

function serviceOfSlice({ metadata }: KubeObject): string {
  const { namespace, labels } = metadata;
  return `${namespace}/${labels?.['kubernetes.io/service-name'] ?? ''}`;
}

/** A linear search: there are few APIServices, and most have no Service. */
function* apiServicesBackedBy({ cache, resource }: ObjectRegistry, service: string): Generator<string> {
  for (const { key, value } of cache.slice(cache.prefix)) {
    if (!value.includes('"service":')) continue;
    const reference = referenceOf(decodeObject(value));
    if (reference && `${reference.namespace}/${reference.name}` === service) yield nameOfKey(resource, key).name;
  }
}

async function updateCondition(
  apiServices: ObjectRegistry,
  name: string,
  availability: Availability,
  now: number,
): Promise<void> {
  const context = { ...writeAs(apiServices, '', 'status'), fieldManager: 'kube-apiserver' };
  await updateExisting(apiServices, name, undefined, (object) => withAvailability(object, availability, now), context);
}

/** lastTransitionTime changes only with the status of the condition. */
function withAvailability(object: JsonObject, availability: Availability, now: number): JsonObject {
  const status = objectIn(object, 'status') ?? {};
  const conditions = objectsIn(status, 'conditions');
  const known = conditions.find(({ type }) => type === 'Available');
  const lastTransitionTime = known?.status === availability.status ? (known.lastTransitionTime ?? null) : formatTime(now);
  const { reason, message } = availability;
  const available = { type: 'Available', status: availability.status, lastTransitionTime, reason, message };
  const next = known ? conditions.map((each) => (each === known ? available : each)) : [...conditions, available];
  return { ...object, status: { ...status, conditions: next } };
}

interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const local: Availability = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };

interface ServiceRegistries {
  readonly services: ObjectRegistry;
  readonly slices: ObjectRegistry;
  readonly endpoints: ObjectRegistry | undefined;
}

/** Checks the Service of an APIService, its port and its endpoints. Undefined if the backend can be asked. */
async function checkService(
  reference: JsonObject,
  { services, slices, endpoints }: ServiceRegistries,
): Promise<Availability | undefined> {
  const namespace = String(reference.namespace);
  const name = String(reference.name);
  const called = `service/${name} in ${JSON.stringify(namespace)}`;
  const entry = await services.cache.get(services.key(namespace, name));
  if (!entry) return unavailable('ServiceNotFound', `${called} is not present`);
  const spec = fieldsOf(decodeObject(entry.value).spec);
  if (spec.type === 'ClusterIP') {
    const port = listOf(spec.ports).find((each) => each.port === reference.port);
    if (!port) return unavailable('ServicePortError', `${called} is not listening on port ${reference.port}`);
    const found = await slicesOf(namespace, name, slices);
    const behind = found.length > 0 ? found : await endpointsAsSlices(namespace, name, endpoints);
    if (behind.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${called}`);
    const portName = String(port.name ?? '');
    if (!behind.some((slice) => isServing(slice, portName)))
      return unavailable(
        'MissingEndpoints',
        `endpointslices for ${called} have no addresses with port name ${JSON.stringify(portName)}`,
      );
  }
  return undefined;
}

async function checkBackend(entry: CacheEntry, { probeApiService }: ControllerContext): Promise<Availability> {
  const problem = await probeApiService?.(entry);
  if (problem !== undefined) return unavailable('FailedDiscoveryCheck', problem);
  return { status: 'True', reason: 'Passed', message: 'all checks passed' };
}

function unavailable(reason: string, message: string): Availability {
  return { status: 'False', reason, message };
}

async function slicesOf(namespace: string, service: string, slices: ObjectRegistry): Promise<readonly KubeObject[]> {
  await slices.cache.fresh();
  const near = slices.cache.slice(slices.prefix(namespace));
  return near.map(({ value }) => decodeObject(value)).filter((slice) => serviceNamed(slice) === service);
}

/** The subsets of Endpoints as the slices that Kubernetes makes of them. */
async function endpointsAsSlices(
  namespace: string,
  service: string,
  endpoints: ObjectRegistry | undefined,
): Promise<readonly JsonObject[]> {
  const entry = endpoints && (await endpoints.cache.get(endpoints.key(namespace, service)));
  const subsets = entry ? listOf(decodeObject(entry.value).subsets) : [];
  return subsets.map(({ ports = [], addresses = [], notReadyAddresses = [] }) => {
    const ready = listOf(addresses).map((): JsonObject => ({ conditions: { ready: true } }));
    const others = listOf(notReadyAddresses).map((): JsonObject => ({ conditions: { ready: false } }));
    return { ports, endpoints: [...ready, ...others] };
  });
}

function serviceNamed({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.['kubernetes.io/service-name'];
}

/** Endpoints are ready unless `conditions.ready` is false. */
function isServing(slice: JsonObject, portName: string): boolean {
  const hasPort = listOf(slice.ports).some((port) => (port.name ?? '') === portName);
  return hasPort && listOf(slice.endpoints).some(({ conditions }) => fieldsOf(conditions).ready !== false);
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}
