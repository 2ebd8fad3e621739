import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  errorType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from '../types/type.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from './value.ts';

const anyList = listType(dynType);
const anyMap = mapType(dynType, dynType);
const anyOptional = optionalType(dynType);

/** The type of a value, without element types. */
export function typeOfValue(value: CelValue): CelType {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'boolean':
      return boolType;
    case 'number':
    case 'bigint':
      return intType;
    default:
      return value === null ? nullType : typeOfObject(value);
  }
}

function typeOfObject(value: object): CelType {
  if (value instanceof CelList) return anyList;
  if (value instanceof CelMap) return value.type ?? anyMap;
  if (value instanceof CelDouble) return doubleType;
  if (value instanceof CelTimestamp) return timestampType;
  if (value instanceof CelDuration) return durationType;
  if (value instanceof CelOptional) return anyOptional;
  if (value instanceof CelTypeValue) return typeType;
  if (value instanceof Uint8Array) return bytesType;
  if (value instanceof CelUint) return uintType;
  return value instanceof CelError ? errorType : (value as { type: CelType }).type;
}

const goNames: { readonly [kind: string]: string } = {
  bool: 'types.Bool',
  bytes: 'types.Bytes',
  double: 'types.Double',
  duration: 'types.Duration',
  int: 'types.Int',
  null: 'types.Null',
  string: 'types.String',
  timestamp: 'types.Timestamp',
  type: '*types.Type',
  uint: 'types.Uint',
};

/** The Go type name of a value, as in cel-go's messages. */
export function goTypeName(value: CelValue): string {
  const { kind, name } = typeOfValue(value);
  return goNames[kind] ?? (name === 'optional_type' ? '*types.Optional' : name);
}
