import type { JsonValue } from '../../json/value.ts';

/** One node of a schema, without what is only for readers (descriptions, titles, examples). */
export interface SchemaNode {
  /** '' if the schema does not say. */
  readonly type: string;
  readonly nullable: boolean;
  readonly default: JsonValue | undefined;
  readonly properties: ReadonlyMap<string, SchemaNode> | undefined;
  /** The properties that have a default. */
  readonly defaulted: readonly string[];
  /** What is under keys that `properties` does not name. */
  readonly additional: SchemaNode | boolean | undefined;
  readonly items: SchemaNode | undefined;
  readonly preserveUnknown: boolean;
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly rules: readonly ValidationRule[];
  /** Absent if no value of the type is refused. */
  readonly values: ValueRules | undefined;
  /** Whether this node or one below it, outside of value rules, is a set or a map, an embedded object, or has rules. */
  readonly within: { readonly lists: boolean; readonly embedded: boolean; readonly rules: boolean };
}

/** An entry of x-kubernetes-validations. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

/** The keywords that restrict values. */
export interface ValueRules {
  readonly format: string;
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly pattern: string;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly multipleOf: number | undefined;
  readonly enum: readonly JsonValue[];
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly required: readonly string[];
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
}
