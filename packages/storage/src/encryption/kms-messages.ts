import {
  bytesTag,
  finish,
  type GrpcMethod,
  type MessageReader,
  type MessageWriter,
  messageEnd,
  read,
  varintTag,
  write,
} from '../grpc/protobuf.ts';

/** Metadata the plugin returns on encrypt and expects back on decrypt. */
export type Annotations = ReadonlyMap<string, Uint8Array>;

export interface StatusResponse {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

export interface DecryptRequest {
  readonly ciphertext: Uint8Array;
  readonly uid: string;
  readonly keyId: string;
  readonly annotations: Annotations;
}

export interface EncryptRequest {
  readonly plaintext: Uint8Array;
  readonly uid: string;
}

export interface EncryptResponse {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Annotations;
}

/** The plaintext of `encryptedDekSource`: an AES-GCM key, or a seed for HKDF. */
export const DekSourceType = { aesGcmKey: 0, hkdfSeed: 1 } as const;

/** The message stored after the prefix `k8s:enc:kms:v2:<name>:`. */
export interface EncryptedObject {
  readonly encryptedData: Uint8Array;
  readonly keyId: string;
  readonly encryptedDekSource: Uint8Array;
  readonly annotations: Annotations;
  readonly dekSourceType: number;
}

const service = '/v2.KeyManagementService';

export const status: GrpcMethod<void, StatusResponse> = {
  path: `${service}/Status`,
  encode: () => Buffer.alloc(0),
  decode(message) {
    let [version, healthz, keyId] = ['', '', ''];
    eachField(message, (field, reader) => {
      if (field === 1) version = reader.string();
      else if (field === 2) healthz = reader.string();
      else if (field === 3) keyId = reader.string();
      else return false;
      return true;
    });
    return { version, healthz, keyId };
  },
};

export const encrypt: GrpcMethod<EncryptRequest, EncryptResponse> = {
  path: `${service}/Encrypt`,
  encode: ({ plaintext, uid }) => finish(write().uint32(bytesTag(1)).bytes(plaintext).uint32(bytesTag(2)).string(uid)),
  decode(message) {
    let ciphertext = new Uint8Array(0);
    let keyId = '';
    const annotations = new Map<string, Uint8Array>();
    eachField(message, (field, reader) => {
      if (field === 1) ciphertext = Uint8Array.from(reader.bytes());
      else if (field === 2) keyId = reader.string();
      else if (field === 3) readAnnotation(reader, annotations);
      else return false;
      return true;
    });
    return { ciphertext, keyId, annotations };
  },
};

export const decrypt: GrpcMethod<DecryptRequest, Uint8Array> = {
  path: `${service}/Decrypt`,
  encode({ ciphertext, uid, keyId, annotations }) {
    const writer = write().uint32(bytesTag(1)).bytes(ciphertext).uint32(bytesTag(2)).string(uid);
    writer.uint32(bytesTag(3)).string(keyId);
    return finish(writeAnnotations(writer, 4, annotations));
  },
  decode(message) {
    let plaintext = new Uint8Array(0);
    eachField(message, (field, reader) => {
      if (field !== 1) return false;
      plaintext = Uint8Array.from(reader.bytes());
      return true;
    });
    return plaintext;
  },
};

export function encodeEncryptedObject(object: EncryptedObject): Buffer {
  const writer = write().uint32(bytesTag(1)).bytes(object.encryptedData).uint32(bytesTag(2)).string(object.keyId);
  writer.uint32(bytesTag(3)).bytes(object.encryptedDekSource);
  writeAnnotations(writer, 4, object.annotations);
  if (object.dekSourceType !== 0) writer.uint32(varintTag(5)).uint32(object.dekSourceType);
  return finish(writer);
}

/** `encryptedData` is a view of the message. Throws on malformed bytes. */
export function decodeEncryptedObject(message: Uint8Array): EncryptedObject {
  const annotations = new Map<string, Uint8Array>();
  let encryptedData: Uint8Array = new Uint8Array(0);
  let encryptedDekSource: Uint8Array = encryptedData;
  let keyId = '';
  let dekSourceType = 0;
  eachField(Buffer.from(message.buffer, message.byteOffset, message.byteLength), (field, reader) => {
    if (field === 1) encryptedData = reader.bytes();
    else if (field === 2) keyId = reader.string();
    else if (field === 3) encryptedDekSource = Uint8Array.from(reader.bytes());
    else if (field === 4) readAnnotation(reader, annotations);
    else if (field === 5) dekSourceType = reader.int32();
    else return false;
    return true;
  });
  return { encryptedData, keyId, encryptedDekSource, annotations, dekSourceType };
}

/** Calls `visit` with each field; skips the field if it returns false. */
function eachField(message: Buffer, visit: (field: number, reader: MessageReader) => boolean): void {
  const reader = read(message);
  while (reader.pos < message.length) {
    const tag = reader.uint32();
    if (!visit(tag >>> 3, reader)) reader.skipType(tag & 7);
  }
}

function readAnnotation(reader: MessageReader, annotations: Map<string, Uint8Array>): void {
  const end = messageEnd(reader);
  let key = '';
  let value = new Uint8Array(0);
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === bytesTag(1)) key = reader.string();
    else if (tag === bytesTag(2)) value = Uint8Array.from(reader.bytes());
    else reader.skipType(tag & 7);
  }
  annotations.set(key, value);
}

function writeAnnotations(writer: MessageWriter, field: number, annotations: Annotations): MessageWriter {
  for (const [key, value] of annotations)
    writer.uint32(bytesTag(field)).fork().uint32(bytesTag(1)).string(key).uint32(bytesTag(2)).bytes(value).ldelim();
  return writer;
}
