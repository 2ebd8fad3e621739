import type { metaV1 } from '@tsukube/api/kinds';
import type { ApiObject } from '../rest/api-object.ts';

/** A reference that makes `owner` the controller of an object: the object is deleted with it. Throws TypeError before it has a uid. */
export function controllerReference(owner: ApiObject): metaV1.OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  const { name, uid } = metadata;
  if (!name || !uid) throw new TypeError('an owner needs a name and a uid: create it first');
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function isControlledBy({ metadata }: ApiObject, owner: ApiObject): boolean {
  return metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid) ?? false;
}

/** Makes `owner` the controller. Throws if another object is, since an object has one controller at most. */
export function setControllerReference<T extends ApiObject>(object: T, owner: ApiObject): T {
  const { ownerReferences = [] } = object.metadata;
  const current = ownerReferences.find(({ controller }) => controller === true);
  if (current !== undefined && current.uid !== owner.metadata.uid)
    throw new Error(`${object.kind} ${object.metadata.name} is controlled by ${current.kind} ${current.name}`);
  const others = ownerReferences.filter(({ uid }) => uid !== owner.metadata.uid);
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...others, controllerReference(owner)] } };
}
