import { builtinTypes } from '@tsukube/api';
import type { ObjectForm } from '@tsukube/apiserver';
import {
  type CheckedObject,
  type CompiledSchema,
  cannotUnmarshal,
  checkObject,
  isObject,
  type JsonObject,
} from '@tsukube/machinery';

export const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const none: readonly string[] = [];

/** Custom objects: ObjectMeta is typed, the rest follows the schema of the definition. */
export function customForm(schema: () => CompiledSchema, published: ObjectForm['published']): ObjectForm {
  return {
    published,
    check: (object) => checkCustom(object, schema()),
    get shape() {
      return schema().shape;
    },
  };
}

function checkCustom(object: JsonObject, schema: CompiledSchema): CheckedObject {
  const metadata = checkMetadata(object);
  if (metadata.error !== undefined) return { value: object, error: metadata.error, unknown: none };
  const { unknown, error } = schema.normalize(object, 'request');
  return { value: object, error, unknown: metadata.unknown.length === 0 ? unknown : [...metadata.unknown, ...unknown] };
}

/** Gives the object its metadata as it is written. */
function checkMetadata(object: JsonObject): { error?: string; unknown: readonly string[] } {
  const { metadata } = object;
  if (metadata === undefined || metadata === null) {
    object.metadata = {};
    return { unknown: none };
  }
  if (!isObject(metadata)) return { error: cannotUnmarshal(metadata, 'v1.ObjectMeta'), unknown: none };
  const { value, error, unknown } = checkObject(metadata, builtinTypes.get(objectMeta), builtinTypes);
  if (error !== undefined) return { error, unknown: none };
  object.metadata = value;
  // Kubernetes decodes metadata anew, from JSON with sorted keys.
  return { unknown: [...unknown].sort().map((text) => text.replace('unknown field "', 'unknown field "metadata.')) };
}
