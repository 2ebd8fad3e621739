export { compile } from './compile.ts';
export * from './contract.ts';
export { declaredSizes } from './cost/range.ts';
export { createEnvironment, type Environment } from './environment.ts';
export {
  type AuthorizerAnswer,
  type AuthorizerQuestion,
  authorizerType,
  authorizerValue,
  type CelAuthorizer,
  resourceCheckType,
  resourceCheckValue,
} from './library/authorizer.ts';
export { objectNameProblems } from './library/mutation.ts';
export { type CelSchema, type DeclaredType, declareType, maxRequestBytes } from './types/declared-type.ts';
export { escapeName, isReservedName, unescapeName } from './types/escape.ts';
export * from './types/type.ts';
export { dynamicJson, type JsonReader, jsonReader } from './values/json.ts';
export { toJson } from './values/to-json.ts';
export * from './values/value.ts';
