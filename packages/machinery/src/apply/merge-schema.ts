import { isObject, type JsonValue } from '../json/value.ts';
import type { Field, FieldType, TypeCatalogue } from '../schema/type.ts';

/** How a value is owned: as a whole, or part by part. */
export type Shape = ScalarShape | AnyShape | DeducedShape | ObjectShape | ListShape;

export interface ScalarShape {
  readonly is: 'scalar';
  readonly expects: 'string' | 'numeric' | 'boolean' | 'scalar';
}

/** Whatever it is, it is owned as a whole. */
export interface AnyShape {
  readonly is: 'any';
}

/** What no schema describes: objects are owned field by field, everything else as a whole. */
export interface DeducedShape {
  readonly is: 'deduced';
}

export interface ObjectShape {
  readonly is: 'object';
  readonly atomic: boolean;
  /** The fields that the type names. */
  readonly fields: ReadonlyMap<string, Shape>;
  /** What is under any other key; undefined if there can be none. */
  readonly of: Shape | undefined;
}

export interface ListShape {
  readonly is: 'list';
  readonly kind: 'atomic' | 'set' | 'map';
  readonly of: Shape;
  /** What tells the items of a map apart, sorted. */
  readonly keys: readonly string[];
  /** What a key is that an item leaves out. */
  readonly defaults: ReadonlyMap<string, JsonValue>;
}

export const anyShape: AnyShape = { is: 'any' };
export const deducedShape: DeducedShape = { is: 'deduced' };
const noFields: ReadonlyMap<string, Shape> = new Map();
export const deducedObject: ObjectShape = { is: 'object', atomic: false, fields: noFields, of: deducedShape };

/** The shape of these values, of which one is there at least. */
export function shapeFor(shape: Shape, value: JsonValue | undefined, other?: JsonValue): Exclude<Shape, DeducedShape> {
  if (shape.is !== 'deduced') return shape;
  const isWholly = (each: JsonValue | undefined) => each !== undefined && !isObject(each);
  return isWholly(value) || isWholly(other) ? anyShape : deducedObject;
}

const shapes = new WeakMap<TypeCatalogue, Map<string, ObjectShape>>();

/** The shape of a type; made when it is first asked for. */
export function shapeOf(name: string, catalogue: TypeCatalogue, mapType?: 'atomic' | 'granular'): ObjectShape {
  let known = shapes.get(catalogue);
  if (known === undefined) {
    known = new Map();
    shapes.set(catalogue, known);
  }
  const key = mapType === undefined ? name : `${name} ${mapType}`;
  let shape = known.get(key);
  if (shape === undefined) {
    shape = new NamedShape(name, catalogue, mapType);
    known.set(key, shape);
  }
  return shape;
}

/** Types refer to each other in circles, so the fields of one are looked at only when they are needed. */
class NamedShape implements ObjectShape {
  readonly is = 'object';
  readonly atomic: boolean;
  readonly of = undefined;
  readonly #name: string;
  readonly #catalogue: TypeCatalogue;
  #fields: ReadonlyMap<string, Shape> | undefined;

  constructor(name: string, catalogue: TypeCatalogue, mapType: 'atomic' | 'granular' | undefined) {
    this.#name = name;
    this.#catalogue = catalogue;
    this.atomic = (mapType ?? catalogue.get(name).mapType) === 'atomic';
  }

  get fields(): ReadonlyMap<string, Shape> {
    this.#fields ??= new Map(
      [...this.#catalogue.get(this.#name).fields.values()].map((field) => [field.name, fieldShape(field, this.#catalogue)]),
    );
    return this.#fields;
  }
}

function fieldShape(field: Field, catalogue: TypeCatalogue): Shape {
  const { type } = field;
  if (type.is === 'list') return listShape(field, type.of, catalogue);
  if (type.is === 'object') return shapeOf(type.ref, catalogue, field.mapType);
  if (type.is === 'map') return mapShape(type.of, field.mapType === 'atomic', catalogue);
  return typeShape(type, catalogue);
}

function typeShape(type: FieldType, catalogue: TypeCatalogue): Shape {
  switch (type.is) {
    case 'any':
      return anyShape;
    case 'object':
      return shapeOf(type.ref, catalogue);
    case 'list':
      return atomicList(typeShape(type.of, catalogue));
    case 'map':
      return mapShape(type.of, false, catalogue);
    case 'intOrString':
      return deducedShape;
    default:
      return { is: 'scalar', expects: expectations[type.is] ?? 'string' };
  }
}

const expectations: Readonly<Record<string, ScalarShape['expects']>> = {
  boolean: 'boolean',
  int32: 'numeric',
  int64: 'numeric',
  double: 'numeric',
  time: 'scalar',
  microTime: 'scalar',
  quantity: 'scalar',
};

function mapShape(of: FieldType, atomic: boolean, catalogue: TypeCatalogue): ObjectShape {
  return { is: 'object', atomic, fields: noFields, of: typeShape(of, catalogue) };
}

function atomicList(of: Shape): ListShape {
  return { is: 'list', kind: 'atomic', of, keys: [], defaults: new Map() };
}

/** A list that does not say how it is merged is merged as strategic patches do it. */
function listShape(field: Field, itemType: FieldType, catalogue: TypeCatalogue): ListShape {
  const of = typeShape(itemType, catalogue);
  const kind = field.listType ?? kindByPatch(field);
  if (kind !== 'map') return { ...atomicList(of), kind };
  const keys = field.listMapKeys ?? [field.patchMergeKey as string];
  return { is: 'list', kind, of, keys: [...keys].sort(), defaults: keyDefaults(itemType, keys, catalogue) };
}

function kindByPatch({ patchStrategy = '', patchMergeKey }: Field): ListShape['kind'] {
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

/** The shape of what is under a key; undefined if there can be nothing. */
export function memberShape(shape: ObjectShape, key: string): Shape | undefined {
  return shape.fields.get(key) ?? shape.of;
}

/** Whether a value is owned as a whole. */
export function isWhole(shape: Shape): boolean {
  if (shape.is === 'object') return shape.atomic;
  return shape.is !== 'list' || shape.kind === 'atomic';
}
