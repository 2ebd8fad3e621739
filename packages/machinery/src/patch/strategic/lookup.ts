import type { Field, FieldType, TypeCatalogue } from '../../schema/type.ts';
import { withoutReason } from './directives.ts';

/** The merge strategy of a field, and the type of its members or items. */
export interface MergeRule {
  readonly strategy: string;
  readonly mergeKey: string;
  readonly type: FieldType;
}

export function ruleForObject(parent: FieldType, key: string, catalogue: TypeCatalogue): MergeRule {
  const field = fieldOf(parent, key, catalogue);
  return { strategy: strategyOf(field), mergeKey: field.patchMergeKey ?? '', type: field.type };
}

export function ruleForList(parent: FieldType, key: string, catalogue: TypeCatalogue): MergeRule {
  const field = fieldOf(parent, key, catalogue);
  if (field.type.is !== 'list') throw withoutReason(`expected slice or array type, but got: ${kindOf(parent)}`);
  if (field.type.of.is === 'list') throw withoutReason('unexpected slice of slice');
  return { strategy: strategyOf(field), mergeKey: field.patchMergeKey ?? '', type: field.type.of };
}

/** The Go kind of a type. */
export function kindOf(type: FieldType): string {
  switch (type.is) {
    case 'list':
    case 'bytes':
      return 'slice';
    case 'map':
      return 'map';
    case 'boolean':
      return 'bool';
    case 'double':
      return 'float64';
    case 'string':
    case 'int32':
    case 'int64':
      return type.is;
    default:
      return 'struct';
  }
}

function fieldOf(parent: FieldType, key: string, catalogue: TypeCatalogue): Field {
  if (parent.is === 'object') {
    const field = catalogue.get(parent.ref).fields.get(key);
    if (field !== undefined) return field;
  }
  if (kindOf(parent) !== 'struct') {
    throw withoutReason(`merging an object in json but data type is not struct, instead is: ${kindOf(parent)}`);
  }
  throw withoutReason(`unable to find api field in struct ${structName(parent)} for the json field "${key}"`);
}

function structName(type: FieldType): string {
  return type.is === 'object' ? type.ref.slice(type.ref.lastIndexOf('.') + 1) : 'RawExtension';
}

/** The strategy without retainKeys, which does not affect merging. */
function strategyOf({ patchStrategy = '' }: Field): string {
  if (!patchStrategy.includes('retainKeys')) return patchStrategy;
  return patchStrategy.split(',').find((strategy) => strategy !== 'retainKeys') ?? '';
}
