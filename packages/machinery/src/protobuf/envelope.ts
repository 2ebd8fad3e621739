import { expectWireType } from './decode-scalar.ts';
import { ProtobufError } from './protobuf-error.ts';
import { ProtobufReader } from './reader.ts';
import { wire } from './wire.ts';

/** What tells the kind of a message and carries it: runtime.Unknown. */
export interface ProtobufEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** A view of the bytes that were unwrapped. */
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  readonly contentType: string;
}

/** `k8s` and a zero, which says that an Unknown follows. */
const magic = Buffer.from('k8s\0');
const nothing = Buffer.alloc(0);

export function isProtobuf(bytes: Uint8Array): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}

/** Fails with ProtobufError. */
export function unwrapProtobuf(bytes: Uint8Array): ProtobufEnvelope {
  if (bytes.length === 0) throw new ProtobufError('empty data');
  if (!isProtobuf(bytes)) {
    throw new ProtobufError(`provided data does not appear to be a protobuf message, expected prefix [${[...magic].join(' ')}]`);
  }
  if (bytes.length === magic.length) throw new ProtobufError('empty body');
  return readUnknown(new ProtobufReader(bytes.subarray(magic.length), 2));
}

function readUnknown(reader: ProtobufReader): ProtobufEnvelope {
  let typeMeta = { apiVersion: '', kind: '' };
  let raw: Uint8Array = nothing;
  let contentEncoding = '';
  let contentType = '';
  while (reader.position < reader.end) {
    const number = nextField(reader, 'Unknown', unknownFields);
    if (number === 1) typeMeta = readTypeMeta(reader, typeMeta);
    else if (number === 2) raw = reader.slice();
    else if (number === 3) contentEncoding = reader.string();
    else if (number === 4) contentType = reader.string();
  }
  return { ...typeMeta, raw, contentEncoding, contentType };
}

const unknownFields = ['typeMeta', 'raw', 'contentEncoding', 'contentType'];
const typeMetaFields = ['apiVersion', 'kind'];

function readTypeMeta(reader: ProtobufReader, { apiVersion, kind }: { apiVersion: string; kind: string }) {
  const outer = reader.enter();
  while (reader.position < reader.end) {
    const number = nextField(reader, 'TypeMeta', typeMetaFields);
    if (number === 1) apiVersion = reader.string();
    else if (number === 2) kind = reader.string();
  }
  reader.leave(outer);
  return { apiVersion, kind };
}

/** The number of a field whose value is to be read; 0 for one that is unknown and has been skipped. */
function nextField(reader: ProtobufReader, message: string, fields: readonly string[]): number {
  const tag = reader.tag(message);
  const field = fields[(tag >>> 3) - 1];
  if (field === undefined) {
    reader.skip(tag & 7);
    return 0;
  }
  expectWireType(tag & 7, wire.bytes, field);
  return tag >>> 3;
}
