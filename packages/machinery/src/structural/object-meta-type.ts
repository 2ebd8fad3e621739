import { type ObjectShape, shapeOf } from '../apply/merge-schema.ts';
import type { JsonObject } from '../json/value.ts';
import { type CheckedObject, checkObject } from '../schema/decode.ts';
import type { Field, FieldType, TypeCatalogue, TypeDefinition } from '../schema/type.ts';

/** The metadata of embedded objects, which no schema describes. */
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

/** The fields of a reference to an owner are always written; pointers and times keep what was sent. */
function fieldOf(name: string, type: FieldType, owner: string): Field {
  const pointer = type.is === 'time' || type.is === 'boolean' || name === 'deletionGracePeriodSeconds';
  if (pointer) return { name, type, whenEmpty: 'keep' };
  const whenEmpty = owner === 'OwnerReference' ? 'zero' : 'omit';
  if (name === 'ownerReferences') return { name, type, whenEmpty, listType: 'map', listMapKeys: ['uid'] };
  return { name, type, whenEmpty, ...(name === 'finalizers' && { listType: 'set' as const }) };
}

const catalogue: TypeCatalogue = { get: (name) => types.get(name) as TypeDefinition };

/** The form of an object's metadata, or why it has none. */
export function checkObjectMeta(metadata: JsonObject): CheckedObject {
  return checkObject(metadata, catalogue.get('ObjectMeta'), catalogue);
}

/** How metadata is merged. */
export function objectMetaShape(): ObjectShape {
  return shapeOf('ObjectMeta', catalogue);
}
