import type { Field, TypeDefinition } from '../schema/type.ts';
import { ProtobufError, ProtobufReader } from './reader.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

function objectAt(name: string, number: number, ref: string): Field {
  return { name, number, type: { is: 'object', ref: `${meta}.${ref}` }, default: {} };
}

/** The kinds of what is left of objects when only their metadata is asked for; OpenAPI does not list them. */
export const partialObjectMetadataType: TypeDefinition = {
  name: `${meta}.PartialObjectMetadata`,
  fields: new Map([['metadata', objectAt('metadata', 1, 'ObjectMeta')]]),
};

/**
 * The PartialObjectMetadata of an encoded object: a view of its beginning, because metadata is field 1 of every kind and is
 * written first. Fails with ProtobufError.
 */
export function partialMetadataBytes(raw: Uint8Array): Uint8Array {
  const reader = new ProtobufReader(raw, 1);
  if (reader.tag('PartialObjectMetadata') !== 0x0a) throw new ProtobufError('there is no metadata');
  reader.slice();
  return raw.subarray(0, reader.position);
}
