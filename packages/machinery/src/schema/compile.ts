import { memoize } from '../cache/bounded-cache.ts';
import { isNumberLiteral, type ParsedObject, type ParsedValue, withPlainNumbers } from '../json/number-literal.ts';
import { deepCopy, type JsonObject, type JsonValue, setKey } from '../json/value.ts';
import { internedRecord } from '../managed-fields/managed-fields.ts';
import { type Canonicalize, scalarChecks } from './check-scalar.ts';
import { compileObject, type ObjectCheck } from './compile-object.ts';
import type { Decoding } from './decoding.ts';
import { zeroOf } from './omitempty.ts';
import { type FieldType, isManagedFieldsType, type TypeCatalogue } from './type.ts';

/** The compiled decoder of a type. */
export interface CompiledType {
  readonly check: Canonicalize;
  /** The value of a null list item or map value. */
  zero(): JsonValue;
  /** The name of the Go type in messages. */
  readonly goType: string;
}

const compiledIn = memoize((_catalogue: TypeCatalogue) => new Map<string, ObjectCheck>());

/** The decoder of an object type, compiled on first use. */
export function objectCheck(name: string, catalogue: TypeCatalogue): ObjectCheck {
  const checks = compiledIn(catalogue);
  let check = checks.get(name);
  if (check === undefined) {
    check = compileObject(catalogue.get(name), (type) => compileType(type, catalogue));
    checks.set(name, check);
  }
  return check;
}

function compileType(type: FieldType, catalogue: TypeCatalogue): CompiledType {
  switch (type.is) {
    case 'any':
      return {
        check: (value, { hasNumberLiterals }) => (hasNumberLiterals ? withPlainNumbers(deepCopy(value)) : (value as JsonValue)),
        zero: () => null,
        goType: 'interface {}',
      };
    case 'object':
      return compileReference(type.ref, catalogue);
    case 'list':
      return compileList(compileMember(type.of, catalogue), isManagedFieldsType(type));
    case 'map':
      return compileMap(compileMember(type.of, catalogue), type.of);
    default:
      return { check: scalarChecks[type.is], zero: () => zeroOf(type), goType: goTypes[type.is] ?? type.is };
  }
}

/** Within a list or map Go's protobuf turns nil bytes into empty ones, which JSON writes as "" instead of null. */
function compileMember(type: FieldType, catalogue: TypeCatalogue): CompiledType {
  const member = compileType(type, catalogue);
  return type.is === 'bytes' ? { ...member, zero: () => '' } : member;
}

const goTypes: Readonly<Record<string, string>> = {
  boolean: 'bool',
  double: 'float64',
  bytes: '[]uint8',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
};

/** Types are recursive, so a reference is resolved on first use. */
function compileReference(name: string, catalogue: TypeCatalogue): CompiledType {
  const goType = name.split('.').slice(-2).join('.');
  let target: ObjectCheck | undefined;
  const resolve = () => {
    target ??= objectCheck(name, catalogue);
    return target;
  };
  const check: Canonicalize = (value, decoding) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isNumberLiteral(value))
      return decoding.mismatch(value, goType);
    return resolve().check(value, decoding);
  };
  return { check, zero: () => resolve().zero(), goType };
}

/** Interned managedFields are valid and need no check. */
function compileList({ check, zero, goType: itemType }: CompiledType, records: boolean): CompiledType {
  const goType = `[]${itemType}`;
  const checkItems = (list: readonly ParsedValue[], decoding: Decoding): JsonValue[] => {
    const checked: JsonValue[] = new Array(list.length);
    for (let i = 0; i < list.length; i++) {
      const item = list[i] as ParsedValue;
      decoding.enter(i);
      checked[i] = (item === null ? undefined : check(item, decoding)) ?? zero();
      decoding.leave();
    }
    return checked;
  };
  return {
    check: (value, decoding) => {
      if (!Array.isArray(value)) return decoding.mismatch(value, goType);
      return (records && internedRecord(value)?.entries) || checkItems(value, decoding);
    },
    zero: () => null,
    goType,
  };
}

function compileMap({ check, zero, goType: valueType }: CompiledType, of: FieldType): CompiledType {
  const goType = `map[string]${valueType}`;
  // Only values that can contain unknown fields need their key in paths.
  const tellsKey = of.is === 'object' || of.is === 'list' || of.is === 'map';
  const checkMembers = (object: ParsedObject, decoding: Decoding): JsonObject => {
    const checked: JsonObject = {};
    for (const key of sortedKeys(object)) {
      const member = object[key] as ParsedValue;
      if (tellsKey) decoding.enter({ key });
      setKey(checked, key, (member === null ? undefined : check(member, decoding)) ?? zero());
      if (tellsKey) decoding.leave();
    }
    return checked;
  };
  return {
    check: (value, decoding) => {
      const fits = typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumberLiteral(value);
      return fits ? checkMembers(value, decoding) : decoding.mismatch(value, goType);
    },
    zero: () => null,
    goType,
  };
}

/** Most maps are already sorted. */
function sortedKeys(object: ParsedObject): string[] {
  const keys = Object.keys(object);
  let last = '';
  for (const key of keys) {
    if (last > key) return keys.sort();
    last = key;
  }
  return keys;
}
