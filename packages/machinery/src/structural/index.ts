export { compileSchema } from './compile.ts';
export type { CompiledSchema, Normalized, Origin, SchemaOptions } from './compiled-schema.ts';
export { type OpenApiOptions, toOpenApi } from './openapi.ts';
export { parseSchema } from './parse.ts';
export type { SchemaNode, ValidationRule, ValueRules } from './schema-node.ts';
export { isStructural, structuralObstacle, validateStructure } from './structure.ts';
