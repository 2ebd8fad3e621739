import type { Field, TypeDefinition } from '../schema/type.ts';
import { ProtobufError, ProtobufReader } from './reader.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

function objectAt(name: string, number: number, ref: string): Field {
  return { name, number, type: { is: 'object', ref: `${meta}.${ref}` }, default: {} };
}

/** PartialObjectMetadata, which is not in the OpenAPI document. */
export const partialObjectMetadataType: TypeDefinition = {
  name: `${meta}.PartialObjectMetadata`,
  fields: new Map([['metadata', objectAt('metadata', 1, 'ObjectMeta')]]),
};

/**
 * Returns the PartialObjectMetadata of an encoded object as a view of its first bytes, because metadata is field 1 of every
 * kind. Throws ProtobufError.
 */
export function partialMetadataBytes(raw: Uint8Array): Uint8Array {
  const reader = new ProtobufReader(raw, 1);
  if (reader.tag('PartialObjectMetadata') !== 0x0a) throw new ProtobufError('there is no metadata');
  reader.slice();
  return raw.subarray(0, reader.position);
}
