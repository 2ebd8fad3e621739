import type { JsonObject, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { messageDecoder } from './decode-message.ts';
import { readFields } from './read-message.ts';
import { ProtobufReader } from './reader.ts';

export interface ProtobufLimits {
  /** How deep messages may be nested. */
  readonly depth?: number;
}

/** As for JSON, where an object takes one level; here an object in a map takes two. */
const defaultDepth = 1_000;

/**
 * The JSON form of a message, without kind and apiVersion, which only the envelope tells. Fields come in the order of the
 * bytes; those that Kubernetes leaves out of JSON when they are zero are left out. Fails with ProtobufError.
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  type: TypeDefinition,
  catalogue: TypeCatalogue,
  limits?: ProtobufLimits,
): JsonObject {
  const object: JsonObject = {};
  readFields(new ProtobufReader(bytes, limits?.depth ?? defaultDepth), messageDecoder(type, catalogue), object);
  return object;
}
