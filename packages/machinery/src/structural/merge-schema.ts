import {
  deducedSchema,
  type ListMergeSchema,
  type MergeSchema,
  mergeSchemaOf,
  type ObjectMergeSchema,
} from '../apply/merge-schema.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { type CheckedObject, checkObject } from '../schema/decode.ts';
import type { Field, FieldType, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import type { SchemaNode } from './schema/schema-node.ts';

const stringSchema: MergeSchema = { is: 'scalar', expects: 'string' };
const scalars: Readonly<Record<string, MergeSchema>> = {
  string: stringSchema,
  boolean: { is: 'scalar', expects: 'boolean' },
  integer: { is: 'scalar', expects: 'numeric' },
  number: { is: 'scalar', expects: 'numeric' },
};

/** The merge schema of a structural schema, for server-side apply. */
export function mergeSchemaOfRoot(root: SchemaNode, preserveUnknownFields: boolean): ObjectMergeSchema {
  return new NodeMergeSchema(root, preserveUnknownFields || root.preserveUnknown, true);
}

/** With `preserve` an enclosing schema preserves unknown fields. */
function mergeSchemaOfNode(node: SchemaNode, preserve: boolean): MergeSchema {
  const keeps = preserve || node.preserveUnknown;
  switch (node.intOrString ? '' : node.type) {
    case 'object':
      return new NodeMergeSchema(node, keeps, node.embedded);
    case 'array':
      return listSchema(node, keeps);
    case '':
      return node.properties === undefined ? deducedSchema : new NodeMergeSchema(node, true, node.embedded);
    default:
      return scalars[node.type] ?? deducedSchema;
  }
}

/** Built field by field on first use: a large schema has many fields that no object uses. */
class NodeMergeSchema implements ObjectMergeSchema {
  readonly is = 'object';
  readonly atomic: boolean;
  readonly #node: SchemaNode;
  readonly #keeps: boolean;
  readonly #isResource: boolean;
  #fields: ReadonlyMap<string, MergeSchema> | undefined;
  #of: MergeSchema | undefined | null = null;

  constructor(node: SchemaNode, keeps: boolean, isResource: boolean) {
    this.#node = node;
    this.#keeps = keeps;
    this.#isResource = isResource;
    this.atomic = node.mapType === 'atomic';
  }

  get fields(): ReadonlyMap<string, MergeSchema> {
    this.#fields ??= this.#makeFields();
    return this.#fields;
  }

  get of(): MergeSchema | undefined {
    if (this.#of === null) this.#of = this.#makeOf();
    return this.#of;
  }

  #makeFields(): ReadonlyMap<string, MergeSchema> {
    const fields = new Map<string, MergeSchema>();
    for (const [key, node] of this.#node.properties ?? []) fields.set(key, mergeSchemaOfNode(node, this.#keeps));
    if (this.#isResource)
      fields.set('apiVersion', stringSchema).set('kind', stringSchema).set('metadata', objectMetaMergeSchema());
    return fields;
  }

  #makeOf(): MergeSchema | undefined {
    const { additional, properties } = this.#node;
    if (typeof additional === 'object') return mergeSchemaOfNode(additional, this.#keeps);
    if (additional !== undefined) return additional ? deducedSchema : undefined;
    return this.#keeps || properties === undefined ? deducedSchema : undefined;
  }
}

function listSchema(node: SchemaNode, keeps: boolean): ListMergeSchema {
  const of = node.items === undefined ? deducedSchema : mergeSchemaOfNode(node.items, keeps);
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

/** The type of metadata of embedded objects, which their schemas do not describe. */
const text: FieldType = { is: 'string' };
const time: FieldType = { is: 'time' };
const integer: FieldType = { is: 'int64' };
const texts: FieldType = { is: 'map', of: text };

const types = new Map(
  [
    type('ObjectMeta', {
      ...{ name: text, generateName: text, namespace: text, selfLink: text, uid: text, resourceVersion: text },
      ...{ generation: integer, creationTimestamp: time, deletionTimestamp: time, deletionGracePeriodSeconds: integer },
      ...{ labels: texts, annotations: texts, ownerReferences: { is: 'list', of: { is: 'object', ref: 'OwnerReference' } } },
      finalizers: { is: 'list', of: text },
      managedFields: { is: 'list', of: { is: 'object', ref: 'ManagedFieldsEntry' } },
    }),
    type('OwnerReference', {
      ...{ apiVersion: text, kind: text, name: text, uid: text, controller: { is: 'boolean' } },
      blockOwnerDeletion: { is: 'boolean' },
    }),
    type('ManagedFieldsEntry', {
      ...{ manager: text, operation: text, apiVersion: text, time, fieldsType: text, fieldsV1: { is: 'any' } },
      subresource: text,
    }),
  ].map((definition) => [definition.name, definition]),
);

function type(name: string, fields: Readonly<Record<string, FieldType>>): TypeDefinition {
  const definition = { name, fields: new Map(Object.entries(fields).map(([field, of]) => [field, fieldOf(field, of, name)])) };
  return name === 'OwnerReference' ? { ...definition, mapType: 'atomic' } : definition;
}

/** Fields of owner references have no omitempty; pointers and times are kept if sent. */
function fieldOf(name: string, type: FieldType, owner: string): Field {
  const pointer = type.is === 'time' || type.is === 'boolean' || name === 'deletionGracePeriodSeconds';
  if (pointer) return { name, type, omitempty: 'keep' };
  const omitempty = owner === 'OwnerReference' ? 'zero' : 'omit';
  if (name === 'ownerReferences') return { name, type, omitempty, listType: 'map', listMapKeys: ['uid'] };
  return { name, type, omitempty, ...(name === 'finalizers' && { listType: 'set' as const }) };
}

const catalogue: TypeCatalogue = { get: (name) => types.get(name) as TypeDefinition };

/** Decodes the metadata of an object. */
export function checkObjectMeta(metadata: JsonObject): CheckedObject {
  return checkObject(metadata, catalogue.get('ObjectMeta'), catalogue);
}

export function objectMetaMergeSchema(): ObjectMergeSchema {
  return mergeSchemaOf('ObjectMeta', catalogue);
}
