import { builtinTypes } from '@tsukube/api';
import type { Schema } from '@tsukube/apiserver';
import { checkObject, deepCopy, type JsonObject } from '@tsukube/machinery';

/** The schema of a built-in type, such as core.v1.ConfigMap. */
export function schemaOf(type: string): Schema {
  const name = `io.k8s.api.${type}`;
  return { catalogue: builtinTypes, type: name, listType: `${name}List` };
}

/** One entry for each type that callers name: a handful. */
const zeroValues = new Map<string, JsonObject>();

/** Go's zero value of a type as it is encoded: fields without omitempty are present, such as `replicas: 0` of a ReplicaSetStatus. */
export function zeroValue(type: string): JsonObject {
  let zero = zeroValues.get(type);
  if (zero === undefined) {
    zero = checkObject({}, builtinTypes.get(`io.k8s.api.${type}`), builtinTypes).value;
    zeroValues.set(type, zero);
  }
  return deepCopy(zero);
}
