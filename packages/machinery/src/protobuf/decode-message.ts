import type { FieldType, Scalar, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { choiceOf } from './choice.ts';
import { inlinedMessage, listField, mapField, objectField, plainField, zeroIsAbsentField } from './decode-field.ts';
import { rawJsonDecoder, scalarDecoders, type ValueDecoder } from './decode-scalar.ts';
import { type AnyType, type ProtobufField, tellsZero } from './field.ts';
import { type Layout, layoutOf, type Slot, singleField } from './layout.ts';
import { oncePerType } from './once-per-type.ts';
import { type FieldDecoder, type MessageDecoder, readMessage } from './read-message.ts';
import { wire } from './wire.ts';

export const messageDecoder: (type: TypeDefinition, catalogue: TypeCatalogue) => MessageDecoder = oncePerType((type, catalogue) =>
  compile(layoutOf(type), catalogue),
);

function compile(layout: Layout, catalogue: TypeCatalogue): MessageDecoder {
  const fields: (FieldDecoder | undefined)[] = [];
  for (const slot of layout.slots) {
    while (fields.length < slot.number) fields.push(undefined);
    fields.push(compileSlot(slot, catalogue));
  }
  return { name: layout.name, fields };
}

function compileSlot(slot: Slot, catalogue: TypeCatalogue): FieldDecoder {
  return 'field' in slot ? fieldDecoder(slot.field, catalogue) : inlinedMessage(compile(slot.inlined, catalogue));
}

function fieldDecoder(field: ProtobufField, catalogue: TypeCatalogue): FieldDecoder {
  const { name, type, wrapped } = field;
  if (type.is === 'object') return objectField(name, lazily(type.ref, catalogue));
  if (type.is === 'map') return mapField(name, valueDecoder(type.of, catalogue));
  if (type.is === 'list' && !wrapped) return listField(name, valueDecoder(type.of, catalogue));
  const value = valueDecoder(type, catalogue);
  return tellsZero(field) ? plainField(name, value) : zeroIsAbsentField(name, value);
}

/** A list that is the value of a map, or of a field that says so, is a message of its own. */
function valueDecoder(type: FieldType, catalogue: TypeCatalogue): ValueDecoder {
  if (type.is === 'list') return wrappedList(type, catalogue);
  if (type.is === 'object') return objectDecoder(lazily(type.ref, catalogue));
  if (type.is === 'any') return anyDecoder(type, catalogue);
  return scalarDecoders[type.is as Scalar] ?? impossible(type);
}

/** Types refer to each other in circles. */
function lazily(ref: string, catalogue: TypeCatalogue): () => MessageDecoder {
  let message: MessageDecoder | undefined;
  return () => {
    message ??= messageDecoder(catalogue.get(ref), catalogue);
    return message;
  };
}

function objectDecoder(message: () => MessageDecoder): ValueDecoder {
  return { wireType: wire.bytes, read: (reader) => readMessage(reader, message(), {}), zero: () => ({}) };
}

function wrappedList(type: FieldType, catalogue: TypeCatalogue): ValueDecoder {
  const message = messageDecoder(singleField('items', type), catalogue);
  return { wireType: wire.bytes, read: (reader) => readMessage(reader, message, {}).items ?? [], zero: () => [] };
}

function anyDecoder({ ref = '' }: AnyType, catalogue: TypeCatalogue): ValueDecoder {
  const choice = choiceOf(ref);
  if (!choice) return rawJsonDecoder;
  const message = messageDecoder(choice.type, catalogue);
  return { wireType: wire.bytes, read: (reader) => choice.toJson(readMessage(reader, message, {})), zero: () => null };
}

function impossible(type: FieldType): never {
  throw new Error(`protobuf has no form for ${type.is}`);
}
