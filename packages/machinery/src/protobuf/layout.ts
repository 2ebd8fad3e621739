import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { omitempty } from '../schema/omitempty.ts';
import type { Field, FieldType, TypeCatalogue, TypeDefinition } from '../schema/type.ts';

/** The fields of a message in ascending order of their numbers. */
export interface Layout {
  readonly name: string;
  readonly slots: readonly LayoutSlot[];
}

/** A field, or a message whose fields are inlined into the same JSON object. */
export type LayoutSlot =
  | { readonly number: number; readonly field: ProtobufField }
  | { readonly number: number; readonly inlined: Layout };

export function messageLayout(type: TypeDefinition): Layout {
  const fields: readonly ProtobufField[] = [...type.fields.values()];
  return layoutAt(type.name.slice(type.name.lastIndexOf('.') + 1), fields, 0);
}

function layoutAt(name: string, fields: readonly ProtobufField[], level: number): Layout {
  const slots: LayoutSlot[] = [];
  const inlined = new Map<number, ProtobufField[]>();
  for (const field of fields) {
    const outer = field.inlinedIn?.[level];
    if (outer !== undefined) inlined.set(outer, [...(inlined.get(outer) ?? []), field]);
    else if (field.number !== undefined) slots.push({ number: field.number, field });
  }
  for (const [number, members] of inlined) slots.push({ number, inlined: layoutAt(name, members, level + 1) });
  return { name, slots: slots.sort((a, b) => a.number - b.number) };
}

/** A message type with one field. */
export function singleField(name: string, type: FieldType): TypeDefinition {
  return { name, fields: new Map([[name, { name, type, number: 1 }]]) };
}

/** Protobuf properties of a field beyond its type. */
export interface ProtobufField extends Field {
  /** Field numbers of the messages around this field, outermost first, that JSON inlines. */
  readonly inlinedIn?: readonly number[];
  /** Each innermost list is field 1 of its own message. */
  readonly wrapped?: boolean;
}

/** Any JSON value; the encoding depends on the Go type `ref`. */
export interface AnyType {
  readonly is: 'any';
  readonly ref?: string;
}

/** Whether the Go field is a pointer, so that zero differs from absent. Non-pointers are written even if zero. */
export function isPointer(field: ProtobufField): boolean {
  const when = omitempty(field);
  return when === 'keep' || when === 'null';
}

/** Whether JSON includes a zero value. */
export function tellsZero(field: ProtobufField): boolean {
  return omitempty(field) !== 'omit';
}

/** Memoizes by type and catalogue, weakly. */
export function oncePerType<T>(
  make: (type: TypeDefinition, catalogue: TypeCatalogue) => T,
): (type: TypeDefinition, catalogue: TypeCatalogue) => T {
  const known = new WeakMap<TypeCatalogue, WeakMap<TypeDefinition, { readonly made: T }>>();
  return (type, catalogue) => {
    const types = known.get(catalogue) ?? new WeakMap<TypeDefinition, { readonly made: T }>();
    const found = types.get(type);
    if (found) return found.made;
    const made = make(type, catalogue);
    known.set(catalogue, types.set(type, { made }));
    return made;
  };
}

/** A JSON value of one of two forms, encoded as a message with a field for each: JSONSchemaPropsOrArray and the like. */
export interface OneOf {
  readonly type: TypeDefinition;
  toJson(message: JsonObject): JsonValue;
  fromJson(value: JsonValue): JsonObject;
}

/** One entry for each type that a catalogue refers to; clients cannot add types. */
const oneOfs = new Map<string, OneOf | undefined>();

/** Undefined for types encoded as raw JSON bytes. */
export function oneOfType(ref: string): OneOf | undefined {
  if (!oneOfs.has(ref)) oneOfs.set(ref, makeOneOf(ref));
  return oneOfs.get(ref);
}

function makeOneOf(ref: string): OneOf | undefined {
  const [, schemaRef, other] = /^(.*\.JSONSchemaProps)Or(Array|Bool|StringArray)$/.exec(ref) ?? [];
  if (schemaRef === undefined) return undefined;
  if (other === 'Bool') return schemaOrBoolean(ref, schemaRef);
  const of = other === 'Array' ? ({ is: 'object', ref: schemaRef } as const) : ({ is: 'string' } as const);
  return schemaOrList(ref, schemaRef, { name: 'list', number: 2, type: { is: 'list', of } });
}

function schemaOrList(name: string, schemaRef: string, list: Field): OneOf {
  return {
    type: typeOf(name, [{ name: 'schema', number: 1, type: { is: 'object', ref: schemaRef } }, list]),
    toJson: (message) => message.list ?? message.schema ?? null,
    fromJson: (value): JsonObject => (Array.isArray(value) ? { list: value } : isObject(value) ? { schema: value } : {}),
  };
}

function schemaOrBoolean(name: string, schemaRef: string): OneOf {
  const allows: Field = { name: 'allows', number: 1, type: { is: 'boolean' }, omitempty: 'omit' };
  return {
    type: typeOf(name, [allows, { name: 'schema', number: 2, type: { is: 'object', ref: schemaRef } }]),
    toJson: (message) => message.schema ?? message.allows ?? false,
    fromJson: (value): JsonObject => (isObject(value) ? { allows: true, schema: value } : { allows: value === true }),
  };
}

function typeOf(name: string, fields: readonly Field[]): TypeDefinition {
  return { name, fields: new Map(fields.map((field) => [field.name, field])) };
}
