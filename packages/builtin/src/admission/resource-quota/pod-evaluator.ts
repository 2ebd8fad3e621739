import type { AdmissionAttributes } from '@tsukube/apiserver';
import { type JsonObject, mapIn, metadataOf, numberIn, objectIn, objectsIn, type Quantity, textIn } from '@tsukube/machinery';
import { specOf, statusOf } from '../../common/objects.ts';
import { isExtendedResource, isHugePages, isNativeResource } from '../../core/container/resource-requirements.ts';
import { qosClassOf } from '../../core/pod/qos.ts';
import type { Evaluator } from './evaluator.ts';
import { hasPodLevelResources, podLimits, podRequests } from './pod-resources.ts';
import { addTo, oneQuantity, parseResourceList, type ResourceList } from './resource-list.ts';
import type { ScopeFacts } from './scopes.ts';

const countName = 'count/pods';
const deviceClassPrefix = 'deviceclass.resource.kubernetes.io/';
/** If a quota has one of these, every container must specify it. */
const required = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];
const computed = ['cpu', 'memory', 'ephemeral-storage'];
const names = new Set([countName, 'pods', ...computed.flatMap((name) => [name, `requests.${name}`, `limits.${name}`])]);

/** Extended resources have quotas of the form `requests.NAME`. */
export function isExtendedQuotaName(name: string): boolean {
  return name.startsWith('requests.') && (!isNativeResource(name) || name.startsWith(`requests.${deviceClassPrefix}`));
}

export function podEvaluator(now: () => number): Evaluator {
  return {
    group: '',
    resource: 'pods',
    handles,
    matchingResources: (given) =>
      given.filter(
        (name) => names.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-') || isExtendedQuotaName(name),
      ),
    measure: (pod) => ({ usage: podUsage(pod, now()), facts: scopeFactsOf(pod) }),
    isCount: false,
    isStable: (pod) => metadataOf(pod).deletionTimestamp === undefined,
    constraints,
  };
}

/** Updates matter if they move the pod to another scope, or resize it. */
function handles({ operation, subresource, object, oldObject }: AdmissionAttributes): boolean {
  if (subresource === 'resize') return operation === 'UPDATE';
  if (subresource !== '') return false;
  return operation === 'CREATE' || isTerminating(object ?? {}) !== isTerminating(oldObject ?? {});
}

function isTerminating(pod: JsonObject): boolean {
  const deadline = objectIn(pod, 'spec')?.activeDeadlineSeconds;
  return deadline !== undefined && Number(deadline) >= 0;
}

/** Pods that ended, and those that should have ended by now, use only their object count. */
export function podUsage(pod: JsonObject, now: number): ResourceList {
  const usage = new Map<string, Quantity>([[countName, oneQuantity]]);
  if (isAlive(pod, now)) addTo(usage, computeUsage(podRequests(pod), podLimits(pod)));
  return usage;
}

function isAlive(pod: JsonObject, now: number): boolean {
  const phase = textIn(statusOf(pod), 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return false;
  const metadata = metadataOf(pod);
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(String(deletionTimestamp)) + numberIn(metadata, 'deletionGracePeriodSeconds') * 1000;
}

function computeUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage = new Map<string, Quantity>([['pods', oneQuantity]]);
  for (const [name, amount] of requests) {
    const hasBareName = computed.includes(name) || isHugePages(name);
    if (hasBareName) usage.set(name, amount);
    if (hasBareName || isExtendedResource(name) || name.startsWith(deviceClassPrefix)) usage.set(`requests.${name}`, amount);
  }
  for (const name of computed) {
    const limit = limits.get(name);
    if (limit) usage.set(`limits.${name}`, limit);
  }
  return usage;
}

function scopeFactsOf(pod: JsonObject): ScopeFacts {
  const spec = specOf(pod);
  const isBestEffort = (textIn(statusOf(pod), 'qosClass') || qosClassOf(spec)) === 'BestEffort';
  const scopes = [isTerminating(pod) ? 'Terminating' : 'NotTerminating', isBestEffort ? 'BestEffort' : 'NotBestEffort'];
  if (usesOtherNamespaces(spec)) scopes.push('CrossNamespacePodAffinity');
  const priorityClass = textIn(spec, 'priorityClassName');
  return { scopes, values: { PriorityClass: priorityClass === '' ? [] : [priorityClass] } };
}

/** Whether affinity terms select pods of other namespaces. */
function usesOtherNamespaces(spec: JsonObject): boolean {
  const affinity = objectIn(spec, 'affinity');
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const rules = objectIn(affinity, kind);
    const preferred = objectsIn(rules, 'preferredDuringSchedulingIgnoredDuringExecution');
    return [
      ...objectsIn(rules, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...preferred.map((weighted) => objectIn(weighted, 'podAffinityTerm')),
    ].some((term) => objectsIn(term, 'namespaces').length > 0 || objectIn(term, 'namespaceSelector') !== undefined);
  });
}

/** Not demanded of pods with pod-level resources. */
function constraints(restricted: readonly string[], pod: JsonObject): string | undefined {
  const demanded = required.filter((name) => restricted.includes(name)).sort();
  if (demanded.length === 0 || hasPodLevelResources(pod)) return undefined;
  const missing = new Map(demanded.map((name) => [name, new Set<string>()]));
  for (const field of ['containers', 'initContainers'])
    for (const container of objectsIn(specOf(pod), field)) noteMissing(container, missing);
  const complaints = [...missing].filter(([, containers]) => containers.size > 0);
  if (complaints.length === 0) return undefined;
  const texts = complaints.map(([name, containers]) => `${name} for: ${[...containers].sort().join(',')}`);
  return `must specify ${texts.join('; ')}`;
}

function noteMissing(container: JsonObject, missing: ReadonlyMap<string, Set<string>>): void {
  const resources = objectIn(container, 'resources');
  const [requests, limits] = (['requests', 'limits'] as const).map((list) => parseResourceList(mapIn(resources, list)));
  const usage = computeUsage(requests as ResourceList, limits as ResourceList);
  for (const [name, containers] of missing) if (!usage.has(name)) containers.add(textIn(container, 'name'));
}
