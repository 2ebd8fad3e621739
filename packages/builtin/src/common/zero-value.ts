import { builtinTypes } from '@tsukube/api';
import { checkObject, deepCopy, type JsonObject } from '@tsukube/machinery';

const known = new Map<string, JsonObject>();

/** What is written of a type when nothing is set: apps.v1.ReplicaSetStatus has its replicas, which are 0. */
export function zeroValue(type: string): JsonObject {
  let zero = known.get(type);
  if (zero === undefined) {
    zero = checkObject({}, builtinTypes.get(`io.k8s.api.${type}`), builtinTypes).value;
    known.set(type, zero);
  }
  return deepCopy(zero);
}
