import { builtinTypes } from '@tsukube/api';
import type { Schema } from '@tsukube/apiserver';

/** The schema of a kind by its name in the catalogue: core.v1.ConfigMap. */
export function schemaOf(type: string): Schema {
  const name = `io.k8s.api.${type}`;
  return { catalogue: builtinTypes, type: name, listType: `${name}List` };
}
