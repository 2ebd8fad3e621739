/** A type of the checker. Object types are equal if their names are. */
export interface CelType {
  readonly kind: TypeKind;
  /** `int`, `list`, `google.protobuf.Duration`, or the name of an object type, opaque type or type parameter. */
  readonly name: string;
  readonly params: readonly CelType[];
  /** Field types of an object, by escaped name. */
  readonly field?: (name: string) => CelType | undefined;
}

export type TypeKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'object'
  | 'opaque'
  | 'param'
  | 'string'
  | 'timestamp'
  | 'type'
  | 'uint'
  | 'unknown';

const none: readonly CelType[] = [];

function simple(kind: TypeKind, name: string = kind): CelType {
  return { kind, name, params: none };
}

export const anyType = simple('any', 'google.protobuf.Any');
export const boolType = simple('bool');
export const bytesType = simple('bytes');
export const doubleType = simple('double');
export const durationType = simple('duration', 'google.protobuf.Duration');
export const dynType = simple('dyn');
export const errorType = simple('error');
export const intType = simple('int');
export const nullType = simple('null', 'null_type');
export const stringType = simple('string');
export const timestampType = simple('timestamp', 'google.protobuf.Timestamp');
export const typeType = simple('type');
export const uintType = simple('uint');
export const unknownType = simple('unknown');

export function listType(element: CelType): CelType {
  return { kind: 'list', name: 'list', params: [element] };
}

export function mapType(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', params: [key, value] };
}

export function optionalType(of: CelType): CelType {
  return opaqueType('optional_type', of);
}

export function opaqueType(name: string, ...params: CelType[]): CelType {
  return { kind: 'opaque', name, params };
}

export function typeTypeOf(of: CelType): CelType {
  return { kind: 'type', name: 'type', params: [of] };
}

export function typeParam(name: string): CelType {
  return { kind: 'param', name, params: none };
}

/** Fields are resolved lazily. */
export function objectType(name: string, field: (name: string) => CelType | undefined): CelType {
  return { kind: 'object', name, params: none, field };
}

export function isOptional(type: CelType): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any';
}

export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, i) => sameType(param, b.params[i] as CelType));
}

const shortNames: Partial<Record<TypeKind, string>> = {
  any: 'any',
  duration: 'duration',
  error: '!error!',
  null: 'null',
  timestamp: 'timestamp',
};

/** The name in messages: `list(int)`, `map(string, dyn)`, `timestamp`. */
export function formatType(type: CelType): string {
  const short = shortNames[type.kind];
  if (short !== undefined) return short;
  return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
}
