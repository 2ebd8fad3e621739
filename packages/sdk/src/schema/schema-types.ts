import type { metaV1 } from '@tsukube/api/kinds';
import type { JsonValue, KubeObject } from '@tsukube/machinery';

/** An object in the type that its author's schema gives it; decoding has checked it against that schema. */
export function typedObject<T>(object: KubeObject): T {
  return object as unknown as T;
}

/** A structural schema, as the openAPIV3Schema of a CustomResourceDefinition, or JSON Schema that can be converted to one. */
export interface JsonSchema {
  readonly type?: unknown;
  readonly properties?: unknown;
}

/**
 * A schema of a library that implements Standard Schema and its JSON Schema export: zod 4, valibot with `toStandardJsonSchema`,
 * ArkType.
 */
export interface StandardSchema {
  readonly '~standard': {
    readonly vendor?: string;
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
    readonly jsonSchema?: { output(options: { readonly target: string }): Record<string, unknown> };
  };
}

/** Describes the fields of a kind besides apiVersion, kind and metadata. A string is the name of a type in `@tsukube/api`. */
export type ResourceSchema = JsonSchema | StandardSchema | string;

/** The metadata of a stored object. */
export interface ResourceMeta extends metaV1.ObjectMeta {
  name: string;
}

/** The fields that a schema describes. */
export type FieldsOf<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : JsonFields
  : S extends string
    ? JsonFields
    : ValueOf<S>;

/** An object of the kind that a schema describes. */
export type ObjectOfSchema<S> = { apiVersion: string; kind: string; metadata: ResourceMeta } & FieldsOf<S>;

type JsonFields = Record<string, JsonValue>;

/** The type of a value that a JSON schema describes. */
type ValueOf<S> = S extends { readonly nullable: true } ? NotNull<S> | null : NotNull<S>;

type NotNull<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly 'x-kubernetes-int-or-string': true }
      ? number | string
      : S extends { readonly type: infer Type }
        ? TypeNamed<Type, S>
        : JsonValue;

type TypeNamed<Type, S> = Type extends 'string'
  ? string
  : Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? ItemsOf<S>[]
          : Type extends 'object'
            ? ObjectFields<S>
            : Type extends readonly (infer Each)[]
              ? TypeNamed<Each, S>
              : JsonValue;

type ItemsOf<S> = S extends { readonly items: infer Items } ? ValueOf<Items> : JsonValue;

type ObjectFields<S> = S extends { readonly properties: infer Properties }
  ? Simplify<
      { -readonly [Key in Present<S, Properties>]: ValueOf<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, Present<S, Properties>>]?: ValueOf<Properties[Key]>;
      }
    >
  : S extends { readonly additionalProperties: infer Value extends object }
    ? Record<string, ValueOf<Value>>
    : Record<string, JsonValue>;

/** Fields that every object has: those that are required, and those with a default. */
type Present<S, Properties> = Required<S, Properties> | Defaulted<Properties>;
type Required<S, Properties> = S extends { readonly required: readonly (infer Name)[] }
  ? Exclude<Extract<keyof Properties, Name>, Optional<Properties>>
  : never;
type Defaulted<Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
}[keyof Properties];
/** TypeBox lists the required fields as strings and marks the others. */
type Optional<Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly '~optional': unknown } ? Key : never;
}[keyof Properties];

type Simplify<T> = { [Key in keyof T]: T[Key] };
