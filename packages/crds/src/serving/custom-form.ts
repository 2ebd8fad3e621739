import type { ObjectForm } from '@tsukube/apiserver';
import {
  type CheckedObject,
  type CompiledSchema,
  cannotUnmarshal,
  checkObject,
  isObject,
  type JsonObject,
  type TypeCatalogue,
} from '@tsukube/machinery';

export const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const none: readonly string[] = [];

/** Custom objects have the metadata of all objects, and for the rest what their schema says. */
export function customForm(schema: () => CompiledSchema, published: ObjectForm['published'], types: TypeCatalogue): ObjectForm {
  return {
    published,
    check: (object) => checkCustom(object, schema(), types),
    get shape() {
      return schema().shape;
    },
  };
}

function checkCustom(object: JsonObject, schema: CompiledSchema, types: TypeCatalogue): CheckedObject {
  const metadata = checkMetadata(object, types);
  if (metadata.error !== undefined) return { value: object, error: metadata.error, unknown: none };
  const { unknown, error } = schema.normalize(object, 'request');
  return { value: object, error, unknown: metadata.unknown.length === 0 ? unknown : [...metadata.unknown, ...unknown] };
}

/** Gives the object its metadata as it is written. */
function checkMetadata(object: JsonObject, types: TypeCatalogue): { error?: string; unknown: readonly string[] } {
  const { metadata } = object;
  if (metadata === undefined || metadata === null) {
    object.metadata = {};
    return { unknown: none };
  }
  if (!isObject(metadata)) return { error: cannotUnmarshal(metadata, 'v1.ObjectMeta'), unknown: none };
  const { value, error, unknown } = checkObject(metadata, types.get(objectMeta), types);
  if (error !== undefined) return { error, unknown: none };
  object.metadata = value;
  // Kubernetes decodes metadata anew, from JSON with sorted keys.
  return { unknown: [...unknown].sort().map((text) => text.replace('unknown field "', 'unknown field "metadata.')) };
}
