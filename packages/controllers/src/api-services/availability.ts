import { decodeObject, follow, nameOfKey, type ObjectRegistry, settleRaces, WorkQueue } from '@tsukube/apiserver';
import { formatTime, isObject, type JsonObject } from '@tsukube/machinery';
import { type Controller, type ControllerContext, registryNamed, writeAs } from '../controller.ts';
import { type Verdict, verdictOn } from './verdict.ts';

/** Says of every APIService that leads to a service whether what it needs is there. */
export function apiServiceAvailability(context: ControllerContext): Controller {
  const apiServices = registryNamed(context, 'apiservices');
  const services = registryNamed(context, 'services');
  const slices = registryNamed(context, 'endpointslices');

  const look = async (name: string): Promise<void> => {
    const entry = await apiServices.cache.get(apiServices.key('', name));
    const reference = entry && referenceOf(decodeObject(entry.value));
    if (!reference) return;
    const verdict = await verdictOn(reference, services, slices);
    await tell(apiServices, name, verdict, context.now());
  };

  const queue = new WorkQueue((name) => settleRaces(() => look(name)), context.logger);
  const lookAtThoseBehind = (key: string) => {
    for (const name of leadingTo(apiServices, key)) queue.add(name);
  };
  const stops = [
    follow(apiServices.cache, ({ key }) => queue.add(nameOfKey(apiServices.resource, key).name)),
    follow(services.cache, ({ key }) => lookAtThoseBehind(namespacedName(services, key))),
    follow(slices.cache, (entry) => lookAtThoseBehind(serviceOfSlice(decodeObject(entry.value)))),
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

function namespacedName(registry: ObjectRegistry, key: string): string {
  const { namespace, name } = nameOfKey(registry.resource, key);
  return `${namespace}/${name}`;
}

function serviceOfSlice({ metadata }: JsonObject): string {
  const { namespace, labels } = metadata as JsonObject;
  return `${namespace}/${isObject(labels) ? labels['kubernetes.io/service-name'] : ''}`;
}

/** There are few of them, and most lead nowhere. */
function* leadingTo({ cache, resource }: ObjectRegistry, service: string): Generator<string> {
  for (const { key, value } of cache.slice(cache.prefix)) {
    if (!value.includes('"service":')) continue;
    const reference = referenceOf(decodeObject(value));
    if (reference && `${reference.namespace}/${reference.name}` === service) yield nameOfKey(resource, key).name;
  }
}

async function tell(apiServices: ObjectRegistry, name: string, verdict: Verdict, now: number): Promise<void> {
  const context = { ...writeAs(apiServices, '', 'status'), fieldManager: 'kube-apiserver' };
  await apiServices.update(name, undefined, (object) => withVerdict(object as JsonObject, verdict, now), context);
}

/** The time is that of the last change from one status to another. */
function withVerdict(object: JsonObject, verdict: Verdict, now: number): JsonObject {
  const status = isObject(object.status) ? object.status : {};
  const conditions = (Array.isArray(status.conditions) ? status.conditions : []) as JsonObject[];
  const known = conditions.find(({ type }) => type === 'Available');
  const lastTransitionTime = known?.status === verdict.status ? (known.lastTransitionTime ?? null) : formatTime(now);
  const { reason, message } = verdict;
  const available = { type: 'Available', status: verdict.status, lastTransitionTime, reason, message };
  const next = known ? conditions.map((each) => (each === known ? available : each)) : [...conditions, available];
  return { ...object, status: { ...status, conditions: next } };
}
