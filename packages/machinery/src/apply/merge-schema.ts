import { memoize } from '../cache/bounded-cache.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import type { Field, FieldType, TypeCatalogue } from '../schema/type.ts';

/** How a value is merged and owned: atomically, by field or by item (structured-merge-diff's schema). */
export type MergeSchema = ScalarMergeSchema | AnyMergeSchema | DeducedMergeSchema | ObjectMergeSchema | ListMergeSchema;

export interface ScalarMergeSchema {
  readonly is: 'scalar';
  readonly expects: 'string' | 'numeric' | 'boolean' | 'scalar';
}

/** A value of any type, always atomic. */
export interface AnyMergeSchema {
  readonly is: 'any';
}

/** Without a schema: objects are owned by field, everything else is atomic. */
export interface DeducedMergeSchema {
  readonly is: 'deduced';
}

export interface ObjectMergeSchema {
  readonly is: 'object';
  readonly atomic: boolean;
  /** The declared fields. */
  readonly fields: ReadonlyMap<string, MergeSchema>;
  /** The schema of any other key; undefined if none is allowed. */
  readonly of: MergeSchema | undefined;
}

export interface ListMergeSchema {
  readonly is: 'list';
  readonly kind: 'atomic' | 'set' | 'map';
  readonly of: MergeSchema;
  /** The listMapKeys, sorted. */
  readonly keys: readonly string[];
  /** Defaults of keys that an item may omit. */
  readonly defaults: ReadonlyMap<string, JsonValue>;
}

export const anySchema: AnyMergeSchema = { is: 'any' };
export const deducedSchema: DeducedMergeSchema = { is: 'deduced' };
const noFields: ReadonlyMap<string, MergeSchema> = new Map();
export const deducedObject: ObjectMergeSchema = { is: 'object', atomic: false, fields: noFields, of: deducedSchema };

/** Resolves a deduced schema for one or two values; at least one is defined. */
export function deduceSchema(
  schema: MergeSchema,
  value: JsonValue | undefined,
  other?: JsonValue,
): Exclude<MergeSchema, DeducedMergeSchema> {
  if (schema.is !== 'deduced') return schema;
  const isWholly = (each: JsonValue | undefined) => each !== undefined && !isObject(each);
  return isWholly(value) || isWholly(other) ? anySchema : deducedObject;
}

const schemasIn = memoize((_catalogue: TypeCatalogue) => new Map<string, ObjectMergeSchema>());

/** The schema of a type, built on first use. */
export function mergeSchemaOf(name: string, catalogue: TypeCatalogue, mapType?: 'atomic' | 'granular'): ObjectMergeSchema {
  const known = schemasIn(catalogue);
  const key = mapType === undefined ? name : `${name} ${mapType}`;
  let schema = known.get(key);
  if (schema === undefined) {
    schema = new NamedMergeSchema(name, catalogue, mapType);
    known.set(key, schema);
  }
  return schema;
}

/** Types are recursive, so the fields are resolved on first use. */
class NamedMergeSchema implements ObjectMergeSchema {
  readonly is = 'object';
  readonly atomic: boolean;
  readonly of = undefined;
  readonly #name: string;
  readonly #catalogue: TypeCatalogue;
  #fields: ReadonlyMap<string, MergeSchema> | undefined;

  constructor(name: string, catalogue: TypeCatalogue, mapType: 'atomic' | 'granular' | undefined) {
    this.#name = name;
    this.#catalogue = catalogue;
    this.atomic = (mapType ?? catalogue.get(name).mapType) === 'atomic';
  }

  get fields(): ReadonlyMap<string, MergeSchema> {
    this.#fields ??= new Map(
      [...this.#catalogue.get(this.#name).fields.values()].map((field) => [field.name, fieldSchema(field, this.#catalogue)]),
    );
    return this.#fields;
  }
}

function fieldSchema(field: Field, catalogue: TypeCatalogue): MergeSchema {
  const { type } = field;
  if (type.is === 'list') return listSchema(field, type.of, catalogue);
  if (type.is === 'object') return mergeSchemaOf(type.ref, catalogue, field.mapType);
  if (type.is === 'map') return mapSchema(type.of, field.mapType === 'atomic', catalogue);
  return typeSchema(type, catalogue);
}

function typeSchema(type: FieldType, catalogue: TypeCatalogue): MergeSchema {
  switch (type.is) {
    case 'any':
      return anySchema;
    case 'object':
      return mergeSchemaOf(type.ref, catalogue);
    case 'list':
      return atomicList(typeSchema(type.of, catalogue));
    case 'map':
      return mapSchema(type.of, false, catalogue);
    case 'intOrString':
      return deducedSchema;
    default:
      return { is: 'scalar', expects: expectations[type.is] ?? 'string' };
  }
}

const expectations: Readonly<Record<string, ScalarMergeSchema['expects']>> = {
  boolean: 'boolean',
  int32: 'numeric',
  int64: 'numeric',
  double: 'numeric',
  time: 'scalar',
  microTime: 'scalar',
  quantity: 'scalar',
};

function mapSchema(of: FieldType, atomic: boolean, catalogue: TypeCatalogue): ObjectMergeSchema {
  return { is: 'object', atomic, fields: noFields, of: typeSchema(of, catalogue) };
}

function atomicList(of: MergeSchema): ListMergeSchema {
  return { is: 'list', kind: 'atomic', of, keys: [], defaults: new Map() };
}

/** A list without listType is merged by its patchStrategy. */
function listSchema(field: Field, itemType: FieldType, catalogue: TypeCatalogue): ListMergeSchema {
  const of = typeSchema(itemType, catalogue);
  const kind = field.listType ?? kindByPatch(field);
  if (kind !== 'map') return { ...atomicList(of), kind };
  const keys = field.listMapKeys ?? [field.patchMergeKey ?? ''];
  return { is: 'list', kind, of, keys: [...keys].sort(), defaults: keyDefaults(itemType, keys, catalogue) };
}

function kindByPatch({ patchStrategy = '', patchMergeKey }: Field): ListMergeSchema['kind'] {
  if (!patchStrategy.split(',').includes('merge')) return 'atomic';
  return patchMergeKey === undefined ? 'set' : 'map';
}

function keyDefaults(type: FieldType, keys: readonly string[], catalogue: TypeCatalogue): ReadonlyMap<string, JsonValue> {
  const defaults = new Map<string, JsonValue>();
  if (type.is !== 'object') return defaults;
  const { fields } = catalogue.get(type.ref);
  for (const key of keys) {
    const value = fields.get(key)?.default;
    if (value !== undefined) defaults.set(key, value);
  }
  return defaults;
}

/** The schema of a member; undefined if the key is not allowed. */
export function memberSchema(schema: ObjectMergeSchema, key: string): MergeSchema | undefined {
  return schema.fields.get(key) ?? schema.of;
}

export function isAtomic(schema: MergeSchema): boolean {
  if (schema.is === 'object') return schema.atomic;
  return schema.is !== 'list' || schema.kind === 'atomic';
}
