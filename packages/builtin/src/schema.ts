import type { Schema } from '@tsukube/apiserver';
import { exactBuiltinTypes } from './types/when-empty.ts';

/** The schema of a kind by its name in the catalogue: core.v1.ConfigMap. */
export function schemaOf(type: string): Schema {
  const name = `io.k8s.api.${type}`;
  return { catalogue: exactBuiltinTypes, type: name, listType: `${name}List` };
}
