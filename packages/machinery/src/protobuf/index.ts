export type { ProtobufLimits } from './decode.ts';
export { decodeProtobuf } from './decode.ts';
export type { ProtobufEnvelope } from './envelope.ts';
export { isProtobuf, unwrapProtobuf } from './envelope.ts';
export type { ProtobufField } from './field.ts';
export { ProtobufError } from './protobuf-error.ts';
