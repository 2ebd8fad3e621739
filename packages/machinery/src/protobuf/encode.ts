import type { JsonObject, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { writeFields } from './encode-field.ts';
import { messageEncoder } from './encode-message.ts';
import { ProtobufWriter } from './writer.ts';

/** Encoding never waits, so one writer does for all. */
const writer = new ProtobufWriter();

/**
 * An object in the byte layout of Kubernetes: fields by their numbers, maps by their keys, values that are no pointers even if
 * they are zero. Fails with ProtobufError if the object does not fit its type: check it before.
 */
export function encodeProtobuf(object: JsonObject, type: TypeDefinition, catalogue: TypeCatalogue): Buffer {
  writer.clear();
  writeFields(writer, messageEncoder(type, catalogue), object);
  return writer.finish();
}
