import type { FieldType, JsonObject, TypeCatalogue } from '@tsukube/machinery';
import { isObject, textIn } from '@tsukube/machinery';
import type { CelSchema } from '@tsukube/machinery/cel';
import { specialType } from '../../openapi/well-known-types.ts';
import type { Schema } from '../../registry/resource.ts';

/** The schema of an object as OpenAPI v3 publishes it, without references. Nested schemas are built when they are read. */
export function typedSchema({ catalogue, type, form }: Schema): CelSchema {
  const published = form?.published?.('openApi3');
  const reader = new SchemaReader(catalogue);
  return published ? reader.document(published, []) : reader.type(type, []);
}

/** A type within itself is an object without fields, as in Kubernetes. */
const circular: CelSchema = { type: 'object' };

class SchemaReader {
  readonly #catalogue: TypeCatalogue;

  constructor(catalogue: TypeCatalogue) {
    this.#catalogue = catalogue;
  }

  /** `outer` are the types in which this one is nested. */
  type(name: string, outer: readonly string[]): CelSchema {
    if (outer.includes(name)) return circular;
    const fields = [...this.#catalogue.get(name).fields.values()];
    const inner = [...outer, name];
    return {
      type: 'object',
      required: fields.filter(({ required }) => required).map((field) => field.name),
      properties: lazily(fields.map((field) => [field.name, () => this.#field(field.type, inner)])),
    };
  }

  #field(type: FieldType, outer: readonly string[]): CelSchema {
    const special = specialType(type);
    if (special) return plain(special.openApi3);
    switch (type.is) {
      case 'object':
        return this.type(type.ref, outer);
      case 'list':
        return { type: 'array', items: this.#field(type.of, outer) };
      case 'map':
        return { type: 'object', additionalProperties: this.#field(type.of, outer) };
      case 'any':
        return { type: 'object' };
      default:
        return scalars[type.is] ?? {};
    }
  }

  /** A part of a published schema. References are to types of the catalogue. */
  document(schema: JsonObject, outer: readonly string[]): CelSchema {
    const reference = referenceIn(schema);
    if (reference !== undefined) return this.type(reference, outer);
    const { properties, items, additionalProperties } = schema;
    const nested = Object.entries(isObject(properties) ? properties : {});
    return {
      ...plain(schema),
      ...(nested.length > 0 && {
        properties: lazily(nested.map(([name, each]) => [name, () => this.document(each as JsonObject, outer)])),
      }),
      ...(isObject(items) && { items: this.document(items, outer) }),
      ...(isObject(additionalProperties) && { additionalProperties: this.document(additionalProperties, outer) }),
    };
  }
}

const scalars: Readonly<Record<string, CelSchema>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer' },
  int64: { type: 'integer' },
  double: { type: 'number' },
  bytes: { type: 'string', format: 'byte' },
};

/** The members of a schema that are not schemas. */
function plain(schema: JsonObject): CelSchema {
  const { properties, items, additionalProperties, ...rest } = schema;
  return textIn(schema, 'format') === 'int-or-string' ? { 'x-kubernetes-int-or-string': true } : (rest as CelSchema);
}

const prefix = '#/components/schemas/';

/** The type that a schema refers to, possibly within allOf. */
function referenceIn(schema: JsonObject): string | undefined {
  const wrapped = Array.isArray(schema.allOf) ? schema.allOf : [];
  for (const each of [schema, ...wrapped]) {
    const reference = isObject(each) ? textIn(each, '$ref') : '';
    if (reference.startsWith(prefix)) return reference.slice(prefix.length);
  }
  return undefined;
}

/** Properties that are computed when they are first read. */
function lazily(entries: readonly (readonly [string, () => CelSchema])[]): { readonly [name: string]: CelSchema } {
  const object: { [name: string]: CelSchema } = {};
  for (const [name, make] of entries) {
    const define = (value: PropertyDescriptor) =>
      Object.defineProperty(object, name, { configurable: true, enumerable: true, ...value });
    define({
      get() {
        const value = make();
        define({ value, writable: false });
        return value;
      },
    });
  }
  return object;
}
