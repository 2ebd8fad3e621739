import {
  compareQuantities,
  type JsonObject,
  mapIn,
  metadataOf,
  objectIn,
  parseQuantity,
  type Quantity,
  quantityValue,
  textIn,
} from '@tsukube/machinery';
import { specOf, statusOf } from '../../common/objects.ts';
import type { Evaluator } from './evaluator.ts';
import { oneQuantity, type ResourceList } from './resource-list.ts';
import type { ScopeFacts } from './scopes.ts';

const countName = 'count/persistentvolumeclaims';
const names = ['persistentvolumeclaims', 'requests.storage'];
const classSuffix = '.storageclass.storage.k8s.io/';
const betaClass = 'volume.beta.kubernetes.io/storage-class';

export const persistentVolumeClaimEvaluator: Evaluator = {
  group: '',
  resource: 'persistentvolumeclaims',
  // The status has the allocated size and the current attributes class.
  handles: ({ subresource }) => subresource === '' || subresource === 'status',
  matchingResources: (given) =>
    given.filter((name) => name === countName || names.some((own) => name === own || name.endsWith(classSuffix + own))),
  measure: (claim) => ({ usage: claimUsage(claim), facts: scopeFactsOf(claim) }),
  isCount: false,
  isStable: () => true,
};

/** Every resource is also counted by storage class. */
function claimUsage(claim: JsonObject): ResourceList {
  const usage = new Map<string, Quantity>([[countName, oneQuantity]]);
  const storageClass = mapIn(metadataOf(claim), 'annotations')[betaClass] ?? textIn(specOf(claim), 'storageClassName');
  const amounts = [oneQuantity, storageOf(claim)];
  for (const [i, name] of names.entries()) {
    const amount = amounts[i];
    if (!amount) continue;
    usage.set(name, amount);
    if (storageClass !== '') usage.set(storageClass + classSuffix + name, amount);
  }
  return usage;
}

/** The requested size, or the allocated one if it is larger: a volume may still be expanded to an earlier request. */
function storageOf(claim: JsonObject): Quantity | undefined {
  const { storage } = mapIn(objectIn(specOf(claim), 'resources'), 'requests');
  if (storage === undefined) return undefined;
  const requested = wholeBytes(parseQuantity(storage));
  const { storage: allocated } = mapIn(statusOf(claim), 'allocatedResources');
  if (allocated === undefined || compareQuantities(parseQuantity(allocated), requested) <= 0) return requested;
  return wholeBytes(parseQuantity(allocated));
}

function wholeBytes(amount: Quantity): Quantity {
  if (amount.exponent >= 0) return amount;
  const { format } = amount;
  const whole: Quantity = { mantissa: quantityValue(amount), exponent: 0, format };
  return compareQuantities(whole, amount) === 0 ? amount : whole;
}

/** The class of the spec, the current one and the target of a change. */
function scopeFactsOf(claim: JsonObject): ScopeFacts {
  const status = statusOf(claim);
  const classes = [
    textIn(specOf(claim), 'volumeAttributesClassName'),
    textIn(status, 'currentVolumeAttributesClassName'),
    textIn(objectIn(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ].filter((name) => name !== '');
  return { scopes: [], values: { VolumeAttributesClass: classes } };
}
