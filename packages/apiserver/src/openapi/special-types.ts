import type { FieldType, JsonObject, Scalar } from '@tsukube/machinery';

/** What OpenAPI has as a type with a name, and a TypeCatalogue as a scalar or as anything. */
export interface SpecialType {
  readonly name: string;
  readonly openApi3: JsonObject;
  readonly swagger2: JsonObject;
}

const apimachinery = 'io.k8s.apimachinery.pkg';
const dateTime = { type: 'string', format: 'date-time' };

const namedScalars: Readonly<Partial<Record<Scalar, SpecialType>>> = {
  time: both(`${apimachinery}.apis.meta.v1.Time`, dateTime),
  microTime: both(`${apimachinery}.apis.meta.v1.MicroTime`, dateTime),
  duration: both(`${apimachinery}.apis.meta.v1.Duration`, { type: 'string' }),
  quantity: {
    name: `${apimachinery}.api.resource.Quantity`,
    openApi3: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    swagger2: { type: 'string' },
  },
  intOrString: {
    name: `${apimachinery}.util.intstr.IntOrString`,
    openApi3: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
    swagger2: { type: 'string', format: 'int-or-string' },
  },
};

/** Those of the types that hold anything which can at least be no list and no scalar. */
const freeObjects: ReadonlySet<string> = new Set([
  `${apimachinery}.runtime.RawExtension`,
  `${apimachinery}.apis.meta.v1.FieldsV1`,
]);

function both(name: string, schema: JsonObject): SpecialType {
  return { name, openApi3: schema, swagger2: schema };
}

export function specialType(type: FieldType): SpecialType | undefined {
  if (type.is === 'any') return freeType(type);
  return type.is === 'object' || type.is === 'list' || type.is === 'map' ? undefined : namedScalars[type.is];
}

function freeType(type: { readonly is: 'any'; readonly ref?: string }): SpecialType | undefined {
  return type.ref === undefined ? undefined : both(type.ref, freeObjects.has(type.ref) ? { type: 'object' } : {});
}
