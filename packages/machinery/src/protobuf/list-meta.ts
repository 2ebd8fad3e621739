import type { Field, TypeCatalogue, TypeDefinition } from '../schema/type.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

function type(kind: string, fields: readonly Field[]): TypeDefinition {
  return { name: `${meta}.${kind}`, fields: new Map(fields.map((field) => [field.name, field])) };
}

/** Lists of every kind have the same metadata, whatever catalogue the kind is in. */
export const listMetaType: TypeDefinition = type('ListMeta', [
  { name: 'selfLink', number: 1, type: { is: 'string' }, whenEmpty: 'omit' },
  { name: 'resourceVersion', number: 2, type: { is: 'string' }, whenEmpty: 'omit' },
  { name: 'continue', number: 3, type: { is: 'string' }, whenEmpty: 'omit' },
  { name: 'remainingItemCount', number: 4, type: { is: 'int64' }, whenEmpty: 'keep' },
  { name: 'shardInfo', number: 5, type: { is: 'object', ref: `${meta}.ShardInfo` } },
]);

const shardInfoType = type('ShardInfo', [{ name: 'selector', number: 1, type: { is: 'string' }, whenEmpty: 'zero' }]);

export const listMetaTypes: TypeCatalogue = { get: () => shardInfoType };
