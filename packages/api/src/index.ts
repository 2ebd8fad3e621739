export { builtinTypes } from './builtin-types.ts';
export { describe, describeColumn } from './descriptions.ts';
export { type BuiltinType, type LineContext, parseTypeLine } from './type-line.ts';
