import type { ParsedObject, ParsedValue } from '../json/number-literal.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { Canonicalize } from './check-scalar.ts';
import type { CompiledType } from './compile.ts';
import type { Decoding, NamedField } from './decoding.ts';
import { isEmpty, omitempty } from './omitempty.ts';
import type { Field, FieldType, TypeDefinition } from './type.ts';

export interface ObjectCheck {
  check(value: ParsedObject, decoding: Decoding): JsonObject;
  /** The object without any field, as Go writes it. */
  zero(): JsonObject;
}

interface CompiledField extends NamedField {
  /** Position among the fields of the type. */
  readonly place: number;
  readonly check: Canonicalize;
  readonly omitsEmpty: boolean;
  /** The value written for an absent field; undefined if it is omitted. */
  readonly absent: (() => JsonValue) | undefined;
}

export function compileObject(type: TypeDefinition, compileType: (type: FieldType) => CompiledType): ObjectCheck {
  const owner = type.name.slice(type.name.lastIndexOf('.') + 1);
  const fields = new Map<string, CompiledField>();
  for (const field of type.fields.values()) {
    fields.set(field.name, compileField(field, fields.size, owner, compileType(field.type)));
  }
  const always = [...fields.values()].filter(({ absent }) => absent !== undefined);
  return {
    check: (value, decoding) => checkFields(value, fields, always, decoding),
    zero: () => checkedObject(always, always.map(absentValue)),
  };
}

function compileField(field: Field, place: number, owner: string, type: CompiledType): CompiledField {
  const empty = omitempty(field);
  return {
    name: field.name,
    owner,
    place,
    check: type.check,
    omitsEmpty: empty === 'omit',
    absent: empty === 'zero' ? type.zero : empty === 'null' ? () => null : undefined,
  };
}

/** Checks fields in document order, so that the first error is Go's first error, and writes them in the order of the type. */
function checkFields(
  value: ParsedObject,
  fields: ReadonlyMap<string, CompiledField>,
  always: readonly CompiledField[],
  decoding: Decoding,
): JsonObject {
  const found: CompiledField[] = [];
  const values: JsonValue[] = [];
  let alwaysFound = 0;
  for (const key of Object.keys(value)) {
    const field = fields.get(key);
    if (field === undefined) {
      decoding.addUnknown(key);
      continue;
    }
    const member = value[key] as ParsedValue;
    if (member === null) continue;
    decoding.enter(field);
    const checked = field.check(member, decoding);
    decoding.leave();
    if (checked === undefined || (field.omitsEmpty && isEmpty(checked))) continue;
    if (field.absent !== undefined) alwaysFound++;
    insert(field, checked, found, values);
  }
  if (alwaysFound < always.length) insertAbsent(always, found, values);
  return checkedObject(found, values);
}

/** Inserts in the order of the type. Most fields come in that order. */
function insert(field: CompiledField, value: JsonValue, found: CompiledField[], values: JsonValue[]): void {
  let at = found.length;
  while (at > 0 && (found[at - 1] as CompiledField).place > field.place) {
    found[at] = found[at - 1] as CompiledField;
    values[at] = values[at - 1] as JsonValue;
    at--;
  }
  found[at] = field;
  values[at] = value;
}

function insertAbsent(always: readonly CompiledField[], found: CompiledField[], values: JsonValue[]): void {
  for (const field of always) if (!found.includes(field)) insert(field, absentValue(field), found, values);
}

function absentValue(field: CompiledField): JsonValue {
  return field.absent?.() ?? null;
}

function checkedObject(fields: readonly CompiledField[], values: readonly JsonValue[]): JsonObject {
  const object: JsonObject = {};
  for (let i = 0; i < fields.length; i++) object[(fields[i] as CompiledField).name] = values[i] as JsonValue;
  return object;
}
