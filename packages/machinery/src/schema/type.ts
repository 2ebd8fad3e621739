import type { JsonValue } from '../json/value.ts';

/** Definitions of built-in types. Decoding, OpenAPI, strategic merge, apply and protobuf are derived from them. */

export type Scalar =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'
  | 'intOrString';

export type FieldType =
  | { readonly is: Scalar }
  /** Anything goes: RawExtension, FieldsV1, JSON. */
  | { readonly is: 'any' }
  | { readonly is: 'object'; readonly ref: string }
  | { readonly is: 'list'; readonly of: FieldType }
  | { readonly is: 'map'; readonly of: FieldType };

/**
 * How an absent or empty field is written, depending on its Go type:
 * - `omit`: omitted if absent or empty. A value with omitempty.
 * - `keep`: omitted if absent, written if empty. A pointer with omitempty.
 * - `zero`: the zero value if absent. A value without omitempty.
 * - `null`: null if absent. A pointer without omitempty.
 */
export type Omitempty = 'omit' | 'keep' | 'zero' | 'null';

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Derived from the type, `required` and `default` if absent, so that no sent value is lost. */
  readonly omitempty?: Omitempty;
  readonly required?: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly string[];
  /** The protobuf field number. */
  readonly number?: number;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  /** Strategic merge: `merge`, `replace`, `retainKeys`, or several joined by commas. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface TypeDefinition {
  /** The OpenAPI name: io.k8s.api.core.v1.ConfigMap. */
  readonly name: string;
  /** In the order of the Go struct. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly gvks?: readonly GroupVersionKind[];
  readonly mapType?: 'atomic' | 'granular';
}

export interface TypeCatalogue {
  /** Throws if the type does not exist, which is a programming error. */
  get(name: string): TypeDefinition;
  /** Absent for catalogues without a scheme. */
  readonly kinds?: KindNames;
}

/** Go names of kinds and their schemes, for messages. */
export interface KindNames {
  /** The name of the scheme a type is registered in. */
  scheme(type: string): string;
  /** The internal type of a kind: core.ConfigMap. */
  hubType(type: string): string;
  /** Finds a kind in the same scheme. */
  find(type: string, apiVersion: string, kind: string): { readonly goType: string; readonly hubType: string } | undefined;
}

/** Whether this is the type of `managedFields`. */
export function isManagedFieldsType(type: FieldType): boolean {
  return type.is === 'list' && type.of.is === 'object' && type.of.ref.endsWith('ManagedFieldsEntry');
}
