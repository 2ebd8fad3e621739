import { isObject } from '../json/object.ts';
import type { FieldType, JsonObject, JsonValue, Scalar, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { choiceOf } from './choice.ts';
import {
  type FieldEncoder,
  inlinedMessage,
  listField,
  type MessageEncoder,
  mapField,
  pointerField,
  valueField,
  writeMessage,
} from './encode-field.ts';
import { isAbsent, rawJsonEncoder, scalarEncoders, unfit, type ValueEncoder } from './encode-scalar.ts';
import { type AnyType, isPointer, type ProtobufField } from './field.ts';
import { type Layout, layoutOf, type Slot, singleField } from './layout.ts';
import { oncePerType } from './once-per-type.ts';
import { wire } from './wire.ts';

export const messageEncoder: (type: TypeDefinition, catalogue: TypeCatalogue) => MessageEncoder = oncePerType((type, catalogue) =>
  compile(layoutOf(type), catalogue),
);

function compile({ slots }: Layout, catalogue: TypeCatalogue): MessageEncoder {
  return slots.map((slot) => compileSlot(slot, catalogue)).reverse();
}

function compileSlot(slot: Slot, catalogue: TypeCatalogue): FieldEncoder {
  return 'field' in slot
    ? fieldEncoder(slot.field, slot.number, catalogue)
    : inlinedMessage(slot.number, compile(slot.inlined, catalogue));
}

function fieldEncoder(field: ProtobufField, number: number, catalogue: TypeCatalogue): FieldEncoder {
  const { name, type, wrapped } = field;
  if (type.is === 'map') return mapField(name, number, valueEncoder(type.of, catalogue), type.of.is === 'bytes');
  if (type.is === 'list' && !wrapped) return listField(name, number, valueEncoder(type.of, catalogue));
  const value = valueEncoder(type, catalogue);
  const mayBeNil = isPointer(field) || type.is === 'list' || type.is === 'bytes';
  return mayBeNil ? pointerField(name, number, value) : valueField(name, number, value);
}

/** A list that is the value of a map, or of a field that says so, is a message of its own. */
function valueEncoder(type: FieldType, catalogue: TypeCatalogue): ValueEncoder {
  if (type.is === 'list') return wrappedList(type, catalogue);
  if (type.is === 'object') return objectEncoder(type.ref, catalogue);
  if (type.is === 'any') return anyEncoder(type, catalogue);
  return scalarEncoders[type.is as Scalar] ?? impossible(type);
}

const noFields: JsonObject = {};

/** Types refer to each other in circles, so a reference is followed only when it is needed. */
function objectEncoder(ref: string, catalogue: TypeCatalogue): ValueEncoder {
  let message: MessageEncoder | undefined;
  return {
    wireType: wire.bytes,
    write: (writer, value) => {
      message ??= messageEncoder(catalogue.get(ref), catalogue);
      writeMessage(writer, message, isAbsent(value) ? noFields : asObject(value));
    },
  };
}

function asObject(value: JsonValue): JsonObject {
  if (!isObject(value)) throw unfit(value, 'an object');
  return value;
}

function wrappedList(type: FieldType, catalogue: TypeCatalogue): ValueEncoder {
  const message = messageEncoder(singleField('items', type), catalogue);
  return { wireType: wire.bytes, write: (writer, value) => writeMessage(writer, message, { items: value ?? null }) };
}

function anyEncoder({ ref = '' }: AnyType, catalogue: TypeCatalogue): ValueEncoder {
  const choice = choiceOf(ref);
  if (!choice) return rawJsonEncoder;
  const message = messageEncoder(choice.type, catalogue);
  return { wireType: wire.bytes, write: (writer, value) => writeMessage(writer, message, choice.fromJson(value ?? null)) };
}

function impossible(type: FieldType): never {
  throw new Error(`protobuf has no form for ${type.is}`);
}
