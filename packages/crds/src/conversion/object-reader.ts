import { decodeObject, encodeObject } from '@tsukube/apiserver';
import { type CompiledSchema, isObject, type JsonObject } from '@tsukube/machinery';
import type { Definition } from '../definition/definition.ts';
import { versionOf } from './converter.ts';

/** From what is stored to objects, and back. */
export interface ObjectReader {
  /** As it was stored, with the form and the defaults of the version it was stored in. */
  read(value: Uint8Array): JsonObject;
  /** Gives a converted object the form of its new version. Changes it. */
  settle(object: JsonObject): JsonObject;
  write(object: JsonObject): Buffer;
}

export function objectReader({ versions }: Definition, schemaOf: (version: string) => CompiledSchema): ObjectReader {
  const known = new Set(versions.map(({ name }) => name));
  return {
    read(value) {
      const object = decodeObject(value);
      const version = versionOf(object);
      // A version that the definition has forgotten: served as it is stored.
      if (known.has(version)) schemaOf(version).normalize(object, 'store');
      return repaired(object);
    },
    settle(object) {
      schemaOf(versionOf(object)).normalize(object, 'conversion');
      return object;
    },
    write: (object) => Buffer.from(encodeObject(object)),
  };
}

/** Very old objects have no generation. */
function repaired(object: JsonObject): JsonObject {
  if (isObject(object.metadata) && !object.metadata.generation) object.metadata.generation = 1;
  return object;
}
