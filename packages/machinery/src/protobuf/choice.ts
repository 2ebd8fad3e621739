import { isObject } from '../json/object.ts';
import type { Field, JsonObject, JsonValue, TypeDefinition } from '../schema/type.ts';

/** A value that in JSON is one of two things, and in protobuf a message with a field for each of them. */
export interface Choice {
  readonly type: TypeDefinition;
  toJson(message: JsonObject): JsonValue;
  fromJson(value: JsonValue): JsonObject;
}

const choices = new Map<string, Choice | undefined>();

/** Undefined for a type that protobuf holds as the bytes of its JSON. */
export function choiceOf(ref: string): Choice | undefined {
  if (!choices.has(ref)) choices.set(ref, makeChoice(ref));
  return choices.get(ref);
}

function makeChoice(ref: string): Choice | undefined {
  const [, schemaRef, other] = /^(.*\.JSONSchemaProps)Or(Array|Bool|StringArray)$/.exec(ref) ?? [];
  if (schemaRef === undefined) return undefined;
  if (other === 'Bool') return schemaOrBoolean(ref, schemaRef);
  const of = other === 'Array' ? ({ is: 'object', ref: schemaRef } as const) : ({ is: 'string' } as const);
  return schemaOrList(ref, schemaRef, { name: 'list', number: 2, type: { is: 'list', of } });
}

function schemaOrList(name: string, schemaRef: string, list: Field): Choice {
  return {
    type: typeOf(name, [{ name: 'schema', number: 1, type: { is: 'object', ref: schemaRef } }, list]),
    toJson: (message) => message.list ?? message.schema ?? null,
    fromJson: (value): JsonObject => (Array.isArray(value) ? { list: value } : isObject(value) ? { schema: value } : {}),
  };
}

function schemaOrBoolean(name: string, schemaRef: string): Choice {
  const allows: Field = { name: 'allows', number: 1, type: { is: 'boolean' }, whenEmpty: 'omit' };
  return {
    type: typeOf(name, [allows, { name: 'schema', number: 2, type: { is: 'object', ref: schemaRef } }]),
    toJson: (message) => message.schema ?? message.allows ?? false,
    fromJson: (value): JsonObject => (isObject(value) ? { allows: true, schema: value } : { allows: value === true }),
  };
}

function typeOf(name: string, fields: readonly Field[]): TypeDefinition {
  return { name, fields: new Map(fields.map((field) => [field.name, field])) };
}
