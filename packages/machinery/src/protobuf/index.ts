export { decodeProtobuf, type ProtobufLimits } from './decode.ts';
export { encodeProtobuf } from './encode.ts';
export { envelopeHead, envelopeTail, isProtobuf, type ProtobufEnvelope, unwrapProtobuf, wrapProtobuf } from './envelope.ts';
export type { ProtobufField } from './layout.ts';
export {
  encodeProtobufList,
  encodeStatus,
  listItemSize,
  partialMetadataBytes,
  partialObjectMetadataType,
  protobufListHead,
  watchFrame,
  writeListItem,
} from './meta-messages.ts';
export { ProtobufError } from './reader.ts';
export { ProtobufWriter } from './writer.ts';
