import { checkObject, type JsonObject } from '@tsukube/machinery';
import { exactBuiltinTypes } from './types/when-empty.ts';

/** What is written of a type when nothing is set: apps.v1.ReplicaSetStatus has its replicas, which are 0. */
export function zeroValue(type: string): JsonObject {
  return checkObject({}, exactBuiltinTypes.get(`io.k8s.api.${type}`), exactBuiltinTypes).value;
}
