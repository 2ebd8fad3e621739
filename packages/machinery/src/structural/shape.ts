import { deducedShape, type ListShape, type ObjectShape, type Shape } from '../apply/merge-schema.ts';
import type { JsonValue } from '../json/value.ts';
import { objectMetaShape } from './object-meta-type.ts';
import type { SchemaNode } from './schema-node.ts';

const text: Shape = { is: 'scalar', expects: 'string' };
const scalars: Readonly<Record<string, Shape>> = {
  string: text,
  boolean: { is: 'scalar', expects: 'boolean' },
  integer: { is: 'scalar', expects: 'numeric' },
  number: { is: 'scalar', expects: 'numeric' },
};

/** How server-side apply merges objects of a schema. */
export function shapeOfRoot(root: SchemaNode, preserveUnknownFields: boolean): ObjectShape {
  return new SchemaShape(root, preserveUnknownFields || root.preserveUnknown, true);
}

/** `preserve`: something around keeps fields that no schema names. */
function shapeOfNode(node: SchemaNode, preserve: boolean): Shape {
  const keeps = preserve || node.preserveUnknown;
  switch (node.intOrString ? '' : node.type) {
    case 'object':
      return new SchemaShape(node, keeps, node.embedded);
    case 'array':
      return listShape(node, keeps);
    case '':
      return node.properties === undefined ? deducedShape : new SchemaShape(node, true, node.embedded);
    default:
      return scalars[node.type] ?? deducedShape;
  }
}

/** Made field by field when it is needed: a large schema has many fields that no object uses. */
class SchemaShape implements ObjectShape {
  readonly is = 'object';
  readonly atomic: boolean;
  readonly #node: SchemaNode;
  readonly #keeps: boolean;
  readonly #isResource: boolean;
  #fields: ReadonlyMap<string, Shape> | undefined;
  #of: Shape | undefined | null = null;

  constructor(node: SchemaNode, keeps: boolean, isResource: boolean) {
    this.#node = node;
    this.#keeps = keeps;
    this.#isResource = isResource;
    this.atomic = node.mapType === 'atomic';
  }

  get fields(): ReadonlyMap<string, Shape> {
    this.#fields ??= this.#makeFields();
    return this.#fields;
  }

  get of(): Shape | undefined {
    if (this.#of === null) this.#of = this.#makeOf();
    return this.#of;
  }

  #makeFields(): ReadonlyMap<string, Shape> {
    const fields = new Map<string, Shape>();
    for (const [key, node] of this.#node.properties ?? []) fields.set(key, shapeOfNode(node, this.#keeps));
    if (this.#isResource) fields.set('apiVersion', text).set('kind', text).set('metadata', objectMetaShape());
    return fields;
  }

  #makeOf(): Shape | undefined {
    const { additional, properties } = this.#node;
    if (typeof additional === 'object') return shapeOfNode(additional, this.#keeps);
    if (additional !== undefined) return additional ? deducedShape : undefined;
    return this.#keeps || properties === undefined ? deducedShape : undefined;
  }
}

function listShape(node: SchemaNode, keeps: boolean): ListShape {
  const of = node.items === undefined ? deducedShape : shapeOfNode(node.items, keeps);
  const kind = node.listType === 'set' || node.listType === 'map' ? node.listType : 'atomic';
  if (kind !== 'map') return { is: 'list', kind, of, keys: [], defaults: new Map() };
  return { is: 'list', kind, of, keys: [...node.listMapKeys].sort(), defaults: keyDefaults(node) };
}

function keyDefaults({ items, listMapKeys }: SchemaNode): ReadonlyMap<string, JsonValue> {
  const defaults = new Map<string, JsonValue>();
  for (const key of listMapKeys) {
    const value = items?.properties?.get(key)?.default;
    if (value !== undefined) defaults.set(key, value);
  }
  return defaults;
}
