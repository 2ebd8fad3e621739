/** Bytes that are no protobuf message of the expected type, in the words of Kubernetes' decoder; or a value that has no encoding. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

export const unexpectedEnd = () => new ProtobufError('unexpected EOF');
