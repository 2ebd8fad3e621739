import { builtinTypes } from '@tsukube/api';
import type { Schema } from '@tsukube/apiserver';
import { checkObject, deepCopy, type JsonObject } from '@tsukube/machinery';

/** The schema of a kind by its name in the catalogue: core.v1.ConfigMap. */
export function schemaOf(type: string): Schema {
  const name = `io.k8s.api.${type}`;
  return { catalogue: builtinTypes, type: name, listType: `${name}List` };
}

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
