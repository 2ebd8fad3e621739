import { decodeObject, encodeObject } from '@tsukube/apiserver';
import { type CompiledSchema, isObject, type JsonObject } from '@tsukube/machinery';
import type { Definition } from '../definition/definition.ts';
import { versionOf } from './converter.ts';

/** Decodes and encodes stored objects. */
export interface ObjectReader {
  /** Decodes, prunes and defaults with the schema of the stored version. */
  read(value: Uint8Array): JsonObject;
  /** Prunes and defaults a converted object with the schema of its new version, in place. */
  normalize(object: JsonObject): JsonObject;
  write(object: JsonObject): Buffer;
}

export function objectReader({ versions }: Definition, schemaOf: (version: string) => CompiledSchema): ObjectReader {
  const known = new Set(versions.map(({ name }) => name));
  return {
    read(value) {
      const object = decodeObject(value);
      const version = versionOf(object);
      // A version that the definition no longer has is served as stored.
      if (known.has(version)) schemaOf(version).normalize(object, 'store');
      return repaired(object);
    },
    normalize(object) {
      schemaOf(versionOf(object)).normalize(object, 'conversion');
      return object;
    },
    write: (object) => Buffer.from(encodeObject(object)),
  };
}

/** Adds the generation that objects of old servers lack. */
function repaired(object: JsonObject): JsonObject {
  if (isObject(object.metadata) && !object.metadata.generation) object.metadata.generation = 1;
  return object;
}
