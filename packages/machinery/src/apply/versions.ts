import type { JsonObject } from '../schema/type.ts';
import type { Ownable } from './ownable.ts';
import type { ObjectShape } from './shape.ts';

/** What has to be known of the versions of a kind. Versions are written as apiVersion: `apps/v1`. */
export interface Versions {
  /** An object in another version than the one it is in; undefined if that version is not known. Never changes it. */
  convert(object: JsonObject, apiVersion: string): JsonObject | undefined;
  knows(apiVersion: string): boolean;
  /** Only of versions that are known. */
  shape(apiVersion: string): ObjectShape;
  readonly ownable: Ownable;
  /** An object of a version before anything is said of it. */
  empty(apiVersion: string): JsonObject;
}
