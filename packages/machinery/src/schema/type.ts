import type { JsonValue } from '../json/value.ts';

/** The shape of built-in types: what decoding, field checks, OpenAPI, strategic merge, apply and protobuf are derived from. */

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
 * What is written of a field that is empty, which depends on how Go holds it:
 * - `omit`: nothing, be it absent or empty. A value with omitempty.
 * - `keep`: what was sent; nothing if it is absent. A pointer with omitempty.
 * - `zero`: always something. A value without omitempty: the zero value stands in for what is absent.
 * - `null`: null if it is absent. A pointer without omitempty.
 */
export type Omitempty = 'omit' | 'keep' | 'zero' | 'null';

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** If it is not said, it is guessed from the type, `required` and `default`; nothing that was sent is lost by that. */
  readonly omitempty?: Omitempty;
  readonly required?: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly string[];
  /** The protobuf field number. */
  readonly number?: number;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  /** Strategic merge: `merge`, `replace`, `retainKeys`; several may be joined by a comma. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface TypeDefinition {
  /** As OpenAPI names it: io.k8s.api.core.v1.ConfigMap. */
  readonly name: string;
  /** In the order in which Kubernetes writes them. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly gvks?: readonly GroupVersionKind[];
  readonly mapType?: 'atomic' | 'granular';
}

export interface TypeCatalogue {
  /** Throws if there is no such type: a mistake of the program, never of a request. */
  get(name: string): TypeDefinition;
  /** Absent where no kinds are known but those that are asked for. */
  readonly kinds?: KindNames;
}

/** What messages call kinds, and where Kubernetes looks for them. */
export interface KindNames {
  /** The name of the register that a type is in. */
  scheme(type: string): string;
  /** What all versions of a type are converted to: core.ConfigMap. */
  hubType(type: string): string;
  /** A kind in the same register; undefined if there is none of that name. */
  find(type: string, apiVersion: string, kind: string): { readonly goType: string; readonly hubType: string } | undefined;
}

/** Whether this is the type of `managedFields`. */
export function isManagedFieldsType(type: FieldType): boolean {
  return type.is === 'list' && type.of.is === 'object' && type.of.ref.endsWith('ManagedFieldsEntry');
}
