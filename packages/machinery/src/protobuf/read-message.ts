import type { JsonObject } from '../schema/type.ts';
import type { ProtobufReader } from './reader.ts';

/** Reads a field whose tag has been read into the object it belongs to. A field that comes again is merged or replaced. */
export type FieldDecoder = (reader: ProtobufReader, wireType: number, target: JsonObject) => void;

export interface MessageDecoder {
  readonly name: string;
  /** By field number. */
  readonly fields: readonly (FieldDecoder | undefined)[];
}

/** Reads up to the end of the message that the reader is in. */
export function readFields(reader: ProtobufReader, { name, fields }: MessageDecoder, target: JsonObject): void {
  while (reader.position < reader.end) {
    const tag = reader.tag(name);
    const decode = fields[tag >>> 3];
    if (decode === undefined) reader.skip(tag & 7);
    else decode(reader, tag & 7, target);
  }
}

/** Reads a message whose length comes next. */
export function readMessage(reader: ProtobufReader, message: MessageDecoder, target: JsonObject): JsonObject {
  const outer = reader.enter();
  readFields(reader, message, target);
  reader.leave(outer);
  return target;
}
