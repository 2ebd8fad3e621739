import { BoundedCache } from '../cache/bounded-cache.ts';
import { expectWireType } from './decode-scalar.ts';
import { ProtobufError, ProtobufReader, wire } from './reader.ts';
import { varintSize, writeVarint } from './writer.ts';

/** The envelope of a message with its kind: runtime.Unknown. */
export interface ProtobufEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** A view of the input. */
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  readonly contentType: string;
}

/** Kubernetes' magic prefix of a runtime.Unknown. */
const magic = Buffer.from('k8s\0');
const nothing = Buffer.alloc(0);

export function isProtobuf(bytes: Uint8Array): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}

/** Throws ProtobufError. */
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
    else if (number === 3) contentEncoding = reader.slice().toString();
    else if (number === 4) contentType = reader.slice().toString();
  }
  return { ...typeMeta, raw, contentEncoding, contentType };
}

const unknownFields = ['typeMeta', 'raw', 'contentEncoding', 'contentType'];
const typeMetaFields = ['apiVersion', 'kind'];

function readTypeMeta(reader: ProtobufReader, { apiVersion, kind }: { apiVersion: string; kind: string }) {
  const outer = reader.enter();
  while (reader.position < reader.end) {
    const number = nextField(reader, 'TypeMeta', typeMetaFields);
    if (number === 1) apiVersion = reader.slice().toString();
    else if (number === 2) kind = reader.slice().toString();
  }
  reader.leave(outer);
  return { apiVersion, kind };
}

/** The number of the next known field; 0 if it was unknown and skipped. */
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

/** The empty fields contentEncoding and contentType. */
export const envelopeTail: Buffer = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

/** Cached by kind; real servers have far fewer. */
const headStarts = new BoundedCache<string, Buffer>({ entries: 4_096 });

/** The bytes before a message of `rawLength` bytes. */
export function envelopeHead(apiVersion: string, kind: string, rawLength: number): Buffer {
  const start = headStart(apiVersion, kind);
  const head = Buffer.allocUnsafe(start.length + varintSize(rawLength));
  start.copy(head);
  writeVarint(rawLength, head, start.length);
  return head;
}

/** The head up to and including the tag of `raw`. */
function headStart(apiVersion: string, kind: string): Buffer {
  const key = `${apiVersion} ${kind}`;
  let start = headStarts.get(key);
  if (start === undefined) {
    const typeMeta = Buffer.concat([textField(0x0a, apiVersion), textField(0x12, kind)]);
    start = Buffer.concat([magic, lengthField(0x0a, typeMeta), Buffer.from([0x12])]);
    headStarts.set(key, start);
  }
  return start;
}

/** A length-delimited field with its tag. */
export function lengthField(tag: number, value: Uint8Array): Buffer {
  const field = Buffer.allocUnsafe(1 + varintSize(value.length) + value.length);
  field[0] = tag;
  field.set(value, writeVarint(value.length, field, 1));
  return field;
}

export function textField(tag: number, text: string): Buffer {
  return lengthField(tag, Buffer.from(text));
}

/** Wraps a message into an envelope: the body of a response. */
export function wrapProtobuf(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  return Buffer.concat([envelopeHead(apiVersion, kind, raw.length), raw, envelopeTail]);
}
