import { type AdmissionAttributes, type AdmissionPlugin, forbiddenByAdmission, type ObjectCache } from '@tsukube/apiserver';
import {
  compareQuantities,
  type JsonObject,
  mapIn,
  objectIn,
  parseQuantity,
  type Quantity,
  textIn,
  zeroQuantity,
} from '@tsukube/machinery';
import { peekObject, whenFresh } from '../common/cached-objects.ts';
import { classOf, isClaims } from './default-storage-class.ts';

/** PersistentVolumeClaimResize: only bound claims of an expandable StorageClass may grow. */
export function persistentVolumeClaimResize(classes: ObjectCache | undefined): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    validate(attributes) {
      const { operation, object, oldObject } = attributes;
      if (operation !== 'UPDATE' || !object || !oldObject || !isClaims(attributes)) return;
      if (compareQuantities(storageOf(object), storageOf(oldObject)) <= 0) return;
      if (textIn(objectIn(oldObject, 'status'), 'phase') !== 'Bound')
        throw forbiddenByAdmission(attributes, 'Only bound persistent volume claims can be expanded');
      return whenFresh(classes, () => requireExpansion(attributes, object, oldObject, classes));
    },
  };
}

function storageOf(claim: JsonObject): Quantity {
  const { storage } = mapIn(objectIn(objectIn(claim, 'spec'), 'resources'), 'requests');
  return storage === undefined ? zeroQuantity : parseQuantity(storage);
}

function requireExpansion(
  attributes: AdmissionAttributes,
  claim: JsonObject,
  old: JsonObject,
  classes: ObjectCache | undefined,
): void {
  const name = classOf(claim) ?? '';
  const isSame = name !== '' && name === classOf(old);
  if (isSame && peekObject(classes, name)?.allowVolumeExpansion === true) return;
  const reason =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  throw forbiddenByAdmission(attributes, reason);
}
