import { decodeObject, type ObjectCache } from '@tsukube/apiserver';
import {
  addQuantities,
  type JsonObject,
  mapIn,
  metadataOf,
  numberIn,
  objectIn,
  objectsIn,
  type Quantity,
  subtractQuantities,
  textIn,
  zeroQuantity,
} from '@tsukube/machinery';
import { specOf, statusOf } from '../../common/objects.ts';
import type { Evaluator } from './evaluator.ts';
import { isExtendedQuotaName, podUsage } from './pod-evaluator.ts';
import { isPositive, oneQuantity, quantityOf, type ResourceList } from './resource-list.ts';

const countName = 'count/resourceclaims.resource.k8s.io';
const classSuffix = '.deviceclass.resource.k8s.io/devices';
const implicitPrefix = 'requests.deviceclass.resource.kubernetes.io/';
const extendedResourceClaim = 'resource.kubernetes.io/extended-resource-claim';
/** The largest number of devices of a claim. */
const maxDevices = 32;

/** The caches of resources that the usage of a claim depends on; absent if they are not served. */
export interface ClaimSources {
  readonly now: () => number;
  readonly pods: ObjectCache | undefined;
  readonly claims: ObjectCache | undefined;
  readonly deviceClasses: ObjectCache | undefined;
}

export function resourceClaimEvaluator(sources: ClaimSources): Evaluator {
  return {
    group: 'resource.k8s.io',
    resource: 'resourceclaims',
    handles: ({ subresource }) => subresource === '',
    matchingResources: (given) => {
      const isExtended = extendedNames(sources, given);
      return given.filter((name) => name === countName || name.endsWith(classSuffix) || isExtended(name));
    },
    measure: (claim) => ({ usage: claimUsage(claim, sources) }),
    isCount: false,
    isStable: () => false,
    fresh: () => freshCaches(sources),
  };
}

function freshCaches({ pods, claims, deviceClasses }: ClaimSources): Promise<unknown> | undefined {
  const waiting = [pods, claims, deviceClasses].flatMap((cache) => cache?.fresh() ?? []);
  return waiting.length === 0 ? undefined : Promise.all(waiting);
}

/** Names of a quota for extended resources that device classes provide. */
function extendedNames({ deviceClasses }: ClaimSources, given: readonly string[]): (name: string) => boolean {
  if (!given.some(isExtendedQuotaName)) return () => false;
  const classes = extendedResources(deviceClasses);
  const provided = new Set(classes.values());
  return (name) => {
    if (name.startsWith(implicitPrefix) && classes.has(name.slice(implicitPrefix.length))) return true;
    if (!isExtendedQuotaName(name)) return false;
    const resource = name.slice('requests.'.length);
    return (
      provided.has(resource) || (name.startsWith(implicitPrefix) && hasClass(deviceClasses, name.slice(implicitPrefix.length)))
    );
  };
}

const extendedResourceMark = Buffer.from('"extendedResourceName":"');

/** Device class → extended resource. */
function extendedResources(deviceClasses: ObjectCache | undefined): ReadonlyMap<string, string> {
  const classes = new Map<string, string>();
  if (!deviceClasses) return classes;
  for (const entry of deviceClasses.range(deviceClasses.prefix)) {
    if (entry.corrupt || !entry.value.includes(extendedResourceMark)) continue;
    const deviceClass = decodeObject(entry.value);
    const resource = textIn(specOf(deviceClass), 'extendedResourceName');
    if (resource !== '') classes.set(textIn(metadataOf(deviceClass), 'name'), resource);
  }
  return classes;
}

function hasClass(deviceClasses: ObjectCache | undefined, name: string): boolean {
  return deviceClasses?.peek(`${deviceClasses.prefix}${name}`) !== undefined;
}

function claimUsage(claim: JsonObject, sources: ClaimSources): ResourceList {
  const usage = new Map<string, Quantity>([[countName, oneQuantity]]);
  for (const request of objectsIn(objectIn(specOf(claim), 'devices'), 'requests')) addRequest(usage, request);
  addExtendedResources(usage, claim, sources);
  return usage;
}

/** The largest number of each class among alternatives. */
function addRequest(usage: Map<string, Quantity>, request: JsonObject): void {
  const exactly = objectIn(request, 'exactly');
  const alternatives = objectsIn(request, 'firstAvailable');
  const largest = new Map<string, number>();
  for (const wanted of alternatives.length > 0 ? alternatives : exactly ? [exactly] : []) {
    const name = textIn(wanted, 'deviceClassName') + classSuffix;
    largest.set(name, Math.max(largest.get(name) ?? 0, devicesOf(wanted)));
  }
  for (const [name, devices] of largest) usage.set(name, addQuantities(usage.get(name) ?? zeroQuantity, quantityOf(devices)));
}

function devicesOf(request: JsonObject): number {
  if (request.allocationMode === 'ExactCount') return numberIn(request, 'count');
  return request.allocationMode === 'All' ? maxDevices : 0;
}

/** Devices also count as extended resources, except for those that the pod of the claim is charged for. */
function addExtendedResources(usage: Map<string, Quantity>, claim: JsonObject, sources: ClaimSources): void {
  const devices = [...usage].filter(([name]) => name.endsWith(classSuffix) && name !== classSuffix);
  if (devices.length === 0) return;
  const resources = extendedResources(sources.deviceClasses);
  const charged = chargedToPod(claim, sources);
  for (const [name, amount] of devices) {
    const deviceClass = name.slice(0, -classSuffix.length);
    const resource = resources.get(deviceClass);
    for (const extended of [`${implicitPrefix}${deviceClass}`, ...(resource === undefined ? [] : [`requests.${resource}`])]) {
      const rest = subtractQuantities(amount, charged.get(extended) ?? zeroQuantity);
      if (isPositive(rest)) usage.set(extended, rest);
    }
  }
}

const nothing: ResourceList = new Map();

/** The usage of the pod that owns a claim which the scheduler made for the pod's extended resources. */
function chargedToPod(claim: JsonObject, { now, pods, claims }: ClaimSources): ResourceList {
  const owner = owningPod(claim);
  const { namespace, name } = metadataOf(claim);
  const entry = owner && pods?.peek(`${pods.prefix}${namespace}/${textIn(owner, 'name')}`);
  if (!entry || entry.corrupt) return nothing;
  const pod = decodeObject(entry.value);
  if (pod.metadata.uid !== owner?.uid) return nothing;
  const known = objectIn(statusOf(pod), 'extendedResourceClaimStatus');
  if (known ? known.resourceClaimName !== name : !isFirstClaim(claim, textIn(owner, 'uid'), claims)) return nothing;
  return podUsage(pod, now());
}

function owningPod(claim: JsonObject): JsonObject | undefined {
  const metadata = metadataOf(claim);
  if (mapIn(metadata, 'annotations')[extendedResourceClaim] !== 'true') return undefined;
  const owner = objectsIn(metadata, 'ownerReferences').find(({ controller }) => controller === true);
  return owner?.kind === 'Pod' && owner.apiVersion === 'v1' ? owner : undefined;
}

/** Whether no older claim is owned by the same pod. */
function isFirstClaim(claim: JsonObject, podUid: string, claims: ObjectCache | undefined): boolean {
  const { namespace, name = '', creationTimestamp = '' } = metadataOf(claim);
  const mark = Buffer.from(podUid);
  for (const entry of claims?.range(`${claims.prefix}${namespace}/`) ?? []) {
    if (entry.corrupt || !entry.value.includes(mark)) continue;
    const other = decodeObject(entry.value);
    if (owningPod(other)?.uid !== podUid) continue;
    const { name: otherName = '', creationTimestamp: created = '' } = other.metadata;
    if (String(created) < String(creationTimestamp) || (created === creationTimestamp && otherName < name)) return false;
  }
  return true;
}
