import type { CelSchema } from '../cel/types/declared-type.ts';
import type { SchemaNode } from './schema-node.ts';

const known = new WeakMap<SchemaNode, CelSchema>();

/** What CEL reads of a schema. */
export function celSchemaOf(node: SchemaNode): CelSchema {
  let schema = known.get(node);
  if (schema === undefined) {
    schema = makeSchema(node);
    known.set(node, schema);
  }
  return schema;
}

function makeSchema(node: SchemaNode): CelSchema {
  const { properties, additional, items, values } = node;
  return {
    ...(node.type !== '' && { type: node.type }),
    ...(node.nullable && { nullable: true }),
    ...(node.default !== undefined && { default: node.default }),
    ...(properties && { properties: propertiesOf(properties) }),
    ...(additional !== undefined && {
      additionalProperties: typeof additional === 'object' ? celSchemaOf(additional) : additional,
    }),
    ...(items && { items: celSchemaOf(items) }),
    ...(values && valueRulesOf(values)),
    ...(node.intOrString && { 'x-kubernetes-int-or-string': true }),
    ...(node.preserveUnknown && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(node.embedded && { 'x-kubernetes-embedded-resource': true }),
    ...(node.listType !== undefined && { 'x-kubernetes-list-type': node.listType }),
    ...(node.listMapKeys.length > 0 && { 'x-kubernetes-list-map-keys': node.listMapKeys }),
    ...(node.mapType !== undefined && { 'x-kubernetes-map-type': node.mapType }),
  };
}

function propertiesOf(properties: ReadonlyMap<string, SchemaNode>): Readonly<Record<string, CelSchema>> {
  return Object.fromEntries([...properties].map(([key, child]) => [key, celSchemaOf(child)]));
}

function valueRulesOf(values: NonNullable<SchemaNode['values']>): CelSchema {
  return {
    ...(values.format !== '' && { format: values.format }),
    ...(values.enum.length > 0 && { enum: values.enum }),
    ...(values.required.length > 0 && { required: values.required }),
    ...(values.maxLength !== undefined && { maxLength: values.maxLength }),
    ...(values.maxItems !== undefined && { maxItems: values.maxItems }),
    ...(values.maxProperties !== undefined && { maxProperties: values.maxProperties }),
  };
}
