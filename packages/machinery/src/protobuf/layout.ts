import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { omitempty } from '../schema/omitempty.ts';
import type { Field, FieldType, TypeCatalogue, TypeDefinition } from '../schema/type.ts';

/** A message as protobuf sees it: slots in ascending order of their numbers. */
export interface Layout {
  readonly name: string;
  readonly slots: readonly LayoutSlot[];
}

/** A field, or a message whose fields belong to the same JSON object as those around it. */
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

/** A message with one field. */
export function singleField(name: string, type: FieldType): TypeDefinition {
  return { name, fields: new Map([[name, { name, type, number: 1 }]]) };
}

/** What the bytes of a field depend on beyond its type. */
export interface ProtobufField extends Field {
  /** Numbers of the protobuf messages around this field, outermost first, where JSON has no object. */
  readonly inlinedIn?: readonly number[];
  /** Each innermost list is field 1 of a message of its own. */
  readonly wrapped?: boolean;
}

/** Anything goes in JSON, but the bytes differ by the type. */
export interface AnyType {
  readonly is: 'any';
  readonly ref?: string;
}

/** Go holds a pointer: zero differs from absent. What is no pointer is written even if it is zero. */
export function isPointer(field: ProtobufField): boolean {
  const when = omitempty(field);
  return when === 'keep' || when === 'null';
}

/** Whether JSON tells a zero that was written. */
export function tellsZero(field: ProtobufField): boolean {
  return omitempty(field) !== 'omit';
}

/** Does the work once for each type of a catalogue and keeps the result as long as the type exists. */
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

/** A value that in JSON is one of two things, and in protobuf a message with a field for each of them. */
export interface OneOf {
  readonly type: TypeDefinition;
  toJson(message: JsonObject): JsonValue;
  fromJson(value: JsonValue): JsonObject;
}

const choices = new Map<string, OneOf | undefined>();

/** Undefined for a type that protobuf holds as the bytes of its JSON. */
export function oneOfType(ref: string): OneOf | undefined {
  if (!choices.has(ref)) choices.set(ref, makeChoice(ref));
  return choices.get(ref);
}

function makeChoice(ref: string): OneOf | undefined {
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
