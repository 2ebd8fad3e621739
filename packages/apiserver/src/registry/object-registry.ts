import {
  deepCopy,
  deepEqual,
  generateName,
  isValidPathSegmentName,
  type JsonObject,
  type KubeObject,
  metadataOf,
  StatusError,
} from '@tsukube/machinery';
import { KeyExists, Mismatch, RequestTooLarge, type Store, type StoreWriteOptions, UnreadableValue } from '@tsukube/storage';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Logger } from '../logger.ts';
import type { CacheEntry } from '../watchcache/entry.ts';
import type { ObjectCache } from '../watchcache/object-cache.ts';
import type { Admission, AdmissionAttributes } from './admission.ts';
import { admissionAttributes, mutateObject, withGeneratedName } from './admission-attributes.ts';
import { pauseAfterConflict } from './backoff.ts';
import { beforeCreate, beforeUpdate, removedByUpdate } from './before-write.ts';
import { type FieldManagement, keepTimestamps } from './field-management.ts';
import { orderedAs } from './object-form.ts';
import { dedupOwnerReferences, ensureNamespace, nameOfKey, needsGeneratedName } from './object-meta.ts';
import type { Reservation, Resource } from './resource.ts';
import { decodeObject, encodeObject, encodeStored, isServedAs } from './stored-form.ts';
import { throwIfCancelled, type WriteContext } from './write-context.ts';
import { alreadyExists, checkResourceVersion, checkUid, checkUnversioned, modifiedConcurrently } from './write-errors.ts';

export interface RegistryServices {
  readonly admission: Admission;
  readonly now: () => number;
  /** From 0 to 1; Math.random if absent. */
  readonly random?: () => number;
  /** Completes `metadata.generateName`; a random suffix if absent. */
  readonly generateName?: (prefix: string) => string;
  /** Maintains managedFields. Without it they are never set, and server-side apply is not served. */
  readonly fieldManagement?: FieldManagement;
  /** No garbage collector runs: propagation policies set no finalizers. */
  readonly keepsDependents?: boolean;
  /** The registry of another resource, for strategies that need one. */
  readonly registryNamed?: (group: string, plural: string) => ObjectRegistry | undefined;
  /** Authorizes the deletion of unreadable objects, which is refused without it. */
  readonly authorizer?: Authorizer;
  /** For failures in the background of a resource, such as the watch of its storage. */
  readonly logger?: Logger;
  /** For state beside the objects, under keys of no resource. */
  readonly store?: Pick<Store, 'get' | 'create' | 'update'>;
}

export interface WriteResult {
  readonly entry: CacheEntry;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'removed';
}

/** Computes the object to write, complete with type meta and metadata, from the current one. Called again after a conflict. */
export type UpdateTransform = (existing: KubeObject | undefined) => JsonObject | Promise<JsonObject>;

/** A server-side apply. The registry merges the configuration into the current object, again after a conflict. */
export interface Application {
  /** The applied configuration, in the version of the request. */
  readonly configuration: JsonObject;
  /** Take over fields that other managers own instead of failing with 409. */
  readonly force: boolean;
  /** Validates the configuration, before it is merged. */
  readonly validate?: () => void;
  /** Converts the merged object from the version of the request to the hub version. */
  readonly complete: (merged: KubeObject, existing: KubeObject | undefined) => JsonObject;
}

/** As many as in kube-apiserver. */
const maxNameAttempts = 8;

/** The objects of one resource: the steps between a verb and the store that all kinds share. */
export class ObjectRegistry {
  readonly resource: Resource;
  readonly cache: ObjectCache;
  readonly services: RegistryServices;
  readonly random: () => number;

  constructor(resource: Resource, cache: ObjectCache, services: RegistryServices) {
    this.resource = resource;
    this.cache = cache;
    this.services = services;
    this.random = services.random ?? Math.random;
  }

  /** The storage key of an object. Throws BadRequest if the name cannot be part of a key. */
  key(namespace: string, name: string): string {
    const problems = isValidPathSegmentName(name);
    if (problems.length > 0)
      throw StatusError.badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problems.join(';')}`);
    return `${this.prefix(namespace)}${name}`;
  }

  /** The storage prefix of a namespace, or of all objects. Throws BadRequest if the namespace cannot be part of a key. */
  prefix(namespace: string): string {
    const { storagePrefix, scope, names } = this.resource;
    if (namespace === '.' || namespace === '..') throw StatusError.badRequest(`invalid key: "/${names.plural}/${namespace}"`);
    return scope === 'Namespaced' && namespace !== '' ? `${storagePrefix}/${namespace}/` : `${storagePrefix}/`;
  }

  /** The object has type meta and metadata. It may be changed. */
  async create(object: JsonObject, context: WriteContext): Promise<WriteResult> {
    throwIfCancelled(context);
    try {
      const tracked = this.#tracked(object as KubeObject, undefined, context);
      return await this.#admitAndCreate(tracked instanceof Promise ? await tracked : tracked, context);
    } catch (error) {
      if (!(error instanceof KeyExists)) throw error;
      throw await this.#alreadyExists(error, metadataOf(object).generateName, context);
    }
  }

  /** Rejects with KeyExists. */
  async #admitAndCreate(object: KubeObject, context: WriteContext): Promise<WriteResult> {
    const attributes = this.#attributes('CREATE', object, undefined, context);
    const mutating = mutateObject(this.services.admission, attributes, object, context);
    if (mutating) await mutating;
    const authorizing = context.strategy.authorizeWrite?.(object, undefined, context, this);
    if (authorizing) await authorizing;
    ensureNamespace(this.resource, object.metadata, context.namespace);
    if (needsGeneratedName(object.metadata)) return this.#createGenerated(object, attributes, context);
    return this.#createNamed(object, attributes.name === '' ? withGeneratedName(attributes, object) : attributes, context);
  }

  /** Tries another name if the generated one is taken. */
  async #createGenerated(object: KubeObject, attributes: AdmissionAttributes, context: WriteContext): Promise<WriteResult> {
    const generate = this.services.generateName ?? ((prefix: string) => generateName(prefix, this.random));
    for (let attempt = 1; ; attempt++) {
      const named = deepCopy(object);
      named.metadata.name = generate(named.metadata.generateName ?? '');
      try {
        return await this.#createNamed(named, withGeneratedName(attributes, named), context);
      } catch (error) {
        if (attempt === maxNameAttempts || !(error instanceof KeyExists)) throw error;
      }
      throwIfCancelled(context);
    }
  }

  #createNamed(object: KubeObject, attributes: AdmissionAttributes, context: WriteContext): Promise<WriteResult> {
    return this.#reserving(object, undefined, context, () => this.#create(object, attributes, context));
  }

  async #create(object: KubeObject, attributes: AdmissionAttributes, context: WriteContext): Promise<WriteResult> {
    context.onResume?.();
    beforeCreate(this.resource, object, context, this.services.now());
    const key = this.key(context.namespace, object.metadata.name ?? '');
    if (!context.isAdmitted) await this.services.admission.validate(attributes);
    const ordered = orderedAs(object, this.resource.hub.schema);
    if (context.dryRun) return this.#dryRunCreate(key, ordered, context);
    checkUnversioned(object.metadata);
    const entry = await fitting(ordered, encodeStored(ordered), (value) =>
      this.cache.create(key, value, this.writeOptions(context)),
    );
    return { entry, outcome: 'created' };
  }

  async #dryRunCreate(key: string, object: KubeObject, context: WriteContext): Promise<WriteResult> {
    if (await this.cache.get(key)) throw new KeyExists(key);
    context.strategy.defaultOnRead?.(object);
    return { entry: unstored(key, object, 0), outcome: 'created' };
  }

  async #alreadyExists({ key }: KeyExists, generateName: unknown, context: WriteContext): Promise<StatusError> {
    const found = await this.cache.get(key).catch(unlessUnreadable);
    const { name } = nameOfKey(this.resource, key);
    return alreadyExists(
      this.#qualified(context),
      name,
      Boolean(generateName),
      found && !found.corrupt ? decodeObject(found.value) : undefined,
    );
  }

  /** Reads, transforms and writes. Starts over if another write comes in between. */
  update(name: string, uid: string | undefined, transform: UpdateTransform, context: WriteContext): Promise<WriteResult> {
    return this.#write(name, uid, transform, context);
  }

  /** Server-side apply by the field manager of the context. */
  apply(name: string, application: Application, context: WriteContext): Promise<WriteResult> {
    return this.#write(name, undefined, application, context);
  }

  async #write(
    name: string,
    uid: string | undefined,
    change: UpdateTransform | Application,
    context: WriteContext,
  ): Promise<WriteResult> {
    const key = this.key(context.namespace, name);
    for (let attempt = 1; ; attempt++) {
      throwIfCancelled(context);
      const looked = this.cache.lookup(key);
      const found = looked instanceof Promise ? await looked : looked;
      try {
        return await (found
          ? this.#tryUpdate(key, name, found, uid, change, context)
          : this.#createByUpdate(key, name, uid, change, context));
      } catch (error) {
        if (!(error instanceof Mismatch || error instanceof KeyExists)) throw error;
      }
      if (!(await pauseAfterConflict(attempt, this.random))) throw modifiedConcurrently(this.#qualified(context), name);
    }
  }

  /** Rejects with KeyExists. */
  async #createByUpdate(
    key: string,
    name: string,
    uid: string | undefined,
    change: UpdateTransform | Application,
    context: WriteContext,
  ): Promise<WriteResult> {
    const qualified = this.#qualified(context);
    if (!context.strategy.allowCreateOnUpdate) throw StatusError.notFound(qualified, name);
    checkUid(key, name, uid, '', qualified);
    const object = await this.#next(change, undefined, context);
    delete object.metadata.resourceVersion;
    return this.#admitAndCreate(object, context);
  }

  /** Rejects with Mismatch. */
  async #tryUpdate(
    key: string,
    name: string,
    found: CacheEntry,
    uid: string | undefined,
    change: UpdateTransform | Application,
    context: WriteContext,
  ): Promise<WriteResult> {
    const qualified = this.#qualified(context);
    context.onResume?.();
    const existing = decodeObject(found.value);
    checkUid(key, name, uid, existing.metadata.uid, qualified);
    const next = this.#next(change, existing, context);
    const object = next instanceof Promise ? await next : next;
    const attributes = this.#attributes('UPDATE', object, existing, context, name);
    const mutating = mutateObject(this.services.admission, attributes, object, context);
    if (mutating) await mutating;
    checkResourceVersion(object, existing, name, qualified, context.strategy);
    keepTimestamps(object, existing);
    const authorizing = context.strategy.authorizeWrite?.(object, existing, context, this);
    if (authorizing) await authorizing;
    return this.#reserving(object, existing, context, async () => {
      context.onResume?.();
      beforeUpdate(this.resource, object, existing, context);
      const validating = this.#validate(attributes, object, existing, context);
      if (validating) await validating;
      return this.#store(key, found, object, existing, context);
    });
  }

  #validate(
    attributes: AdmissionAttributes,
    object: KubeObject,
    existing: KubeObject,
    { isAdmitted, validateUpdate }: WriteContext,
  ): void | Promise<void> {
    if (validateUpdate) return validateUpdate(object, existing);
    return isAdmitted ? undefined : this.services.admission.validate(attributes);
  }

  /** The new object with its managedFields. A promise only if the change is computed asynchronously, or a webhook converts. */
  #next(
    change: UpdateTransform | Application,
    existing: KubeObject | undefined,
    context: WriteContext,
  ): KubeObject | Promise<KubeObject> {
    if (typeof change === 'function') {
      const changed = change(existing) as KubeObject | Promise<KubeObject>;
      if (changed instanceof Promise) return changed.then((object) => this.#tracked(object, existing, context));
      return this.#tracked(changed, existing, context);
    }
    change.validate?.();
    const { fieldManagement, now } = this.services;
    if (!fieldManagement) throw new Error('server-side apply without field management');
    const merged = fieldManagement.apply(this.resource, existing, change, context, now());
    const complete = (object: KubeObject) => change.complete(object, existing) as KubeObject;
    return merged instanceof Promise ? merged.then(complete) : complete(merged);
  }

  /** The object with its managedFields updated: the field manager of the context owns the changes. */
  #tracked(object: KubeObject, existing: KubeObject | undefined, context: WriteContext): KubeObject | Promise<KubeObject> {
    // A patch is deduplicated after mutating admission only, as in kube-apiserver.
    if (context.verb !== 'patch') dedupOwnerReferences(object.metadata, context.warn);
    const { fieldManagement, now } = this.services;
    if (context.fieldManager === null || !fieldManagement) return object;
    const tracking = fieldManagement.track(this.resource, object, existing, context, now());
    return tracking ? tracking.then(() => object) : object;
  }

  /** Writes with the allocations of the strategy, such as ClusterIPs, and releases them if the write fails. */
  #reserving(
    object: KubeObject,
    existing: KubeObject | undefined,
    context: WriteContext,
    write: () => Promise<WriteResult>,
  ): Promise<WriteResult> {
    const reserving = context.strategy.reserve?.(object, existing, this, context.dryRun);
    return reserving ? this.#writeReserved(reserving, context, write) : write();
  }

  async #writeReserved(
    reserving: Promise<Reservation>,
    context: WriteContext,
    write: () => Promise<WriteResult>,
  ): Promise<WriteResult> {
    const reservation = await reserving;
    try {
      const written = await write();
      if (context.dryRun || written.outcome === 'removed') await reservation.giveBack();
      else await reservation.keep(written.entry);
      return written;
    } catch (error) {
      await reservation.giveBack();
      throw error;
    }
  }

  async #store(
    key: string,
    found: CacheEntry,
    object: KubeObject,
    existing: KubeObject,
    context: WriteContext,
  ): Promise<WriteResult> {
    if (removedByUpdate(object, existing, context.strategy)) {
      if (!context.dryRun) await this.remove(found, object, context).catch(ignoreRemoved);
      return { entry: unstored(key, object, found.revision), outcome: 'removed' };
    }
    const ordered = orderedAs(object, this.resource.hub.schema);
    const stored = encodeStored(ordered);
    const isSame = isServedAs(stored, found.value, found.revision) || isReordered(stored, found, ordered, existing);
    if (isSame && (await this.cache.holds(key, stored))) return { entry: found, outcome: 'unchanged' };
    if (context.dryRun) return { entry: unstored(key, ordered, found.revision), outcome: 'updated' };
    const entry = await fitting(ordered, stored, (value) =>
      this.cache.update(key, value, found.revision, this.writeOptions(context)),
    );
    return { entry, outcome: 'updated' };
  }

  /** Deletes an object from the store. Rejects with Mismatch. */
  async remove(found: CacheEntry, object: KubeObject, { strategy, isOver }: WriteContext): Promise<void> {
    await this.cache.delete(found.key, found.revision, { isCancelled: isOver });
    await strategy.afterRemove?.(object, this);
  }

  #attributes(
    operation: 'CREATE' | 'UPDATE',
    object: KubeObject,
    oldObject: KubeObject | undefined,
    context: WriteContext,
    name = object.metadata.name ?? '',
  ): AdmissionAttributes {
    return admissionAttributes(operation, this.resource, { name, object, oldObject }, context);
  }

  #qualified({ version }: WriteContext): { group: string; resource: string } {
    return { group: version.group, resource: this.resource.names.plural };
  }

  writeOptions({ isOver }: WriteContext): StoreWriteOptions {
    return { ttlSeconds: this.resource.ttlSeconds, isCancelled: isOver };
  }
}

/** Drops managedFields, which can be large, if the object exceeds the store's request limit. */
async function fitting(object: KubeObject, stored: Buffer, write: (value: Buffer) => Promise<CacheEntry>): Promise<CacheEntry> {
  try {
    return await write(stored);
  } catch (error) {
    const { managedFields, ...metadata } = object.metadata;
    if (!(error instanceof RequestTooLarge) || managedFields === undefined) throw error;
    return write(encodeStored({ ...object, metadata }));
  }
}

/** A concurrent request deleted the object. */
function ignoreRemoved(error: unknown): void {
  if (!(error instanceof Mismatch) || error.current !== undefined) throw error;
}

/** An unreadable object occupies its name too. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableValue)) throw error;
}

/** Whether only the order of fields differs: defaults may have been filled in in another order. */
function isReordered(stored: Buffer, found: CacheEntry, object: KubeObject, existing: KubeObject): boolean {
  const version = `,"resourceVersion":"${found.revision}"`;
  return stored.length + version.length === found.value.length && deepEqual(object, existing);
}

/** An object that is returned but not stored: the result of a dry run, or the last state before removal. */
function unstored(key: string, object: KubeObject, revision: number): CacheEntry {
  return { key, value: Buffer.from(encodeObject(object)), revision, created: revision, derived: undefined };
}
