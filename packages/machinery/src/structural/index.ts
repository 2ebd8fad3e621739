export { compileSchema } from './compile.ts';
export type { CompiledSchema, Normalized, Origin, SchemaOptions } from './compiled-schema.ts';
export { parseSchema } from './parse.ts';
export type { SchemaNode, ValidationRule, ValueRules } from './schema-node.ts';
