import type { User } from '@tsukube/apiserver';
import type { ResourceMeta } from '../schema/schema-types.ts';

/** An object as a storage returns it; apiVersion and kind are added if they are absent. */
export type StoredObject<Fields> = { apiVersion?: string; kind?: string; metadata: ResourceMeta } & Fields;

/** An object to be stored, complete and validated. */
export type NewObject<Fields> = { apiVersion: string; kind: string; metadata: ResourceMeta } & Fields;

/** The request that a storage works for. */
export interface StorageCall {
  readonly user: User;
  /** Aborted when the client is gone or the deadline has passed. */
  readonly signal: AbortSignal;
}

export interface ObjectCall extends StorageCall {
  /** Undefined for cluster-scoped resources. */
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface ListCall extends StorageCall {
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
}

export interface UpdateCall<Fields> extends StorageCall {
  /** The object that was read for this update. The write must fail with ObjectChanged if it is no longer the current one. */
  readonly old: NewObject<Fields>;
}

export interface DeleteCall extends ObjectCall {
  /** The version that was read for this delete. The delete must fail with ObjectChanged if it is no longer the current one. */
  readonly resourceVersion: string;
}

export interface WatchCall {
  /** Changes after this version are delivered. */
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

export interface StorageEvent<Fields> {
  /** The object of DELETED is the last state, with the resourceVersion of the deletion. */
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject<Fields>;
}

/** All objects, and the version of the collection if the storage has one. */
export interface StoredList<Fields> {
  readonly items: Iterable<StoredObject<Fields>> | AsyncIterable<StoredObject<Fields>>;
  readonly resourceVersion?: string | undefined;
}

type MaybePromise<T> = T | Promise<T>;

/**
 * Objects behind the API in any place: a table, another service, a computation. A missing function is a missing verb. Selectors,
 * pages, Tables, patches, apply, dry run and preconditions are made of these functions.
 *
 * `metadata.resourceVersion` is a decimal number up to 2^53 that grows with every change of any object of the resource. It may be left
 * out: then it is computed from the content of the object if the storage can be written, which is enough for preconditions and
 * conflicts. Only a storage with `watch` must have it.
 */
export interface ObjectStorage<Fields = Record<string, unknown>> {
  /** Undefined if there is none. */
  get(call: ObjectCall): MaybePromise<StoredObject<Fields> | undefined>;
  /** In any order. */
  list?(call: ListCall): MaybePromise<StoredList<Fields> | Iterable<StoredObject<Fields>> | AsyncIterable<StoredObject<Fields>>>;
  /** Returns the object as stored; without it, `get` is called. Fails with ObjectExists if the name is taken. */
  create?(object: NewObject<Fields>, call: StorageCall): MaybePromise<StoredObject<Fields> | undefined>;
  update?(object: NewObject<Fields>, call: UpdateCall<Fields>): MaybePromise<StoredObject<Fields> | undefined>;
  delete?(call: DeleteCall): MaybePromise<void>;
  /**
   * All changes after a version, in order, with growing resourceVersions. Called once for all clients. Fails with VersionExpired if the
   * version is too old; clients then list again.
   */
  watch?(call: WatchCall): AsyncIterable<StorageEvent<Fields>>;
}

/** A create of a name that is taken. */
export class ObjectExists extends Error {
  override readonly name = 'ObjectExists';
}

/** An update or delete of an object that has changed meanwhile. It is read again, and the request repeated or refused with 409. */
export class ObjectChanged extends Error {
  override readonly name = 'ObjectChanged';
}

/** A watch from a version whose changes are no longer known. */
export class VersionExpired extends Error {
  override readonly name = 'VersionExpired';
}
